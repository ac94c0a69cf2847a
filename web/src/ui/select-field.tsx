// A labelled choice of one of several options, with its hint and its error.
import { type ComponentProps, useId } from 'react';
import { cn } from './cn.ts';

type SelectFieldProps<T extends string> = Omit<ComponentProps<'select'>, 'id' | 'onChange' | 'value'> & {
  readonly label: string;
  /** True for a field whose purpose is clear from its position. */
  readonly isLabelHidden?: boolean;
  readonly hint?: string;
  readonly error?: string | undefined;
  readonly value: T;
  readonly options: readonly { readonly value: T; readonly label: string }[];
  readonly onChange: (value: T) => void;
};

export function SelectField<T extends string>(props: SelectFieldProps<T>) {
  const { label, isLabelHidden = false, hint, error, value, options, onChange, className, ...rest } = props;
  const id = useId();
  const note = error ?? hint;
  return (
    <div className={cn('grid gap-1.5', className)}>
      <label htmlFor={id} className={isLabelHidden ? 'sr-only' : 'text-sm font-medium'}>
        {label}
      </label>
      <select
        id={id}
        value={value}
        aria-invalid={error === undefined ? undefined : true}
        aria-describedby={note === undefined ? undefined : `${id}-note`}
        onChange={({ target }) => {
          const chosen = options.find((it) => it.value === target.value);
          if (chosen !== undefined) onChange(chosen.value);
        }}
        className={cn(
          'h-11 w-full rounded-lg border border-input bg-surface px-3 text-base shadow-xs sm:h-10 sm:text-[0.9375rem]',
          error !== undefined && 'border-danger',
        )}
        {...rest}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
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
