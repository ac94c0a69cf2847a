// A labelled text input with its hint and its error.
import { type ComponentProps, useId } from 'react';
import { cn } from './cn.ts';

type TextFieldProps = Omit<ComponentProps<'input'>, 'id'> & {
  readonly label: string;
  readonly hint?: string;
  readonly error?: string | undefined;
};

export function TextField({ label, hint, error, className, ...rest }: TextFieldProps) {
  const id = useId();
  const note = error ?? hint;
  return (
    <div className={cn('grid gap-1.5', className)}>
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      <input
        id={id}
        aria-invalid={error === undefined ? undefined : true}
        aria-describedby={note === undefined ? undefined : `${id}-note`}
        className={cn(
          'h-11 w-full rounded-lg border border-input bg-surface px-3 text-base shadow-xs sm:h-10 sm:text-[0.9375rem]',
          'placeholder:text-muted-foreground focus-visible:outline-offset-0',
          error !== undefined && 'border-danger',
        )}
        {...rest}
      />
      {note !== undefined && (
        <p
          id={`${id}-note`}
          className={cn('text-[0.8125rem]', error === undefined ? 'text-muted-foreground' : 'text-danger')}
        >
          {note}
        </p>
      )}
    </div>
  );
}
