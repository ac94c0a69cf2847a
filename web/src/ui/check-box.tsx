// A box to tick, with its label beside it.
import { type ComponentProps, useId } from 'react';
import { cn } from './cn.ts';

type CheckBoxProps = Omit<ComponentProps<'input'>, 'id' | 'type'> & {
  readonly label: string;
  readonly hint?: string | undefined;
};

export function CheckBox({ label, hint, className, ...rest }: CheckBoxProps) {
  const id = useId();
  return (
    <div className={cn('grid gap-x-2.5 grid-cols-[auto_1fr] text-sm', className)}>
      <input
        id={id}
        type="checkbox"
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        className="mt-0.5 size-4 shrink-0 accent-primary pointer-coarse:mt-3"
        {...rest}
      />
      <label htmlFor={id} className="[overflow-wrap:anywhere] pointer-coarse:py-2.5">
        {label}
      </label>
      {hint !== undefined && (
        <p id={`${id}-hint`} className="col-start-2 text-[0.8125rem] text-muted-foreground">
          {hint}
        </p>
      )}
    </div>
  );
}
