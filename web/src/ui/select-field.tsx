// A labelled choice of one of several.
import { type ComponentProps, useId } from 'react';
import { cn } from './cn.ts';

type SelectFieldProps<T extends string> = Omit<ComponentProps<'select'>, 'id' | 'onChange' | 'value'> & {
  readonly label: string;
  readonly value: T;
  readonly options: readonly { readonly value: T; readonly label: string }[];
  readonly onChange: (value: T) => void;
};

export function SelectField<T extends string>(props: SelectFieldProps<T>) {
  const { label, value, options, onChange, className, ...rest } = props;
  const id = useId();
  return (
    <div className={cn('grid gap-1.5', className)}>
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      <select
        id={id}
        value={value}
        onChange={({ target }) => {
          const chosen = options.find((it) => it.value === target.value);
          if (chosen !== undefined) onChange(chosen.value);
        }}
        className="h-11 w-full rounded-lg border border-input bg-surface px-3 text-base shadow-xs sm:h-10 sm:text-[0.9375rem]"
        {...rest}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </div>
  );
}
