// Controls that are on or off.
import { Switch as Primitive } from 'radix-ui';
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

interface SwitchProps {
  /** The label of the switch, for screen readers. */
  readonly label: string;
  readonly isOn: boolean;
  readonly disabled?: boolean;
  readonly onChange: (isOn: boolean) => void;
}

export function Switch({ label, isOn, disabled = false, onChange }: SwitchProps) {
  return (
    <Primitive.Root
      aria-label={label}
      checked={isOn}
      disabled={disabled}
      onCheckedChange={onChange}
      className="group grid h-10 w-12 shrink-0 cursor-pointer place-items-center rounded-lg disabled:cursor-default disabled:opacity-50"
    >
      <span className="flex h-5 w-9 items-center rounded-full bg-input p-0.5 transition-colors group-data-[state=checked]:bg-primary">
        <Primitive.Thumb className="size-4 rounded-full bg-surface shadow-xs transition-transform data-[state=checked]:translate-x-4" />
      </span>
    </Primitive.Root>
  );
}
