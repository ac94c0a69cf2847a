// A labelled text input that has to be filled in, with its hint and its error.
import { type ComponentProps, useId } from 'react';
import { cn } from './cn.ts';

type Props = ComponentProps<'input'> & { label: string; hint?: string; error?: string };

export function TextField({ label, hint, error, ...rest }: Props) {
  const id = useId();
  const note = error ?? hint;
  return (
    <div className="grid gap-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      <input
        id={id}
        required
        aria-invalid={error !== undefined}
        aria-describedby={note === undefined ? undefined : `${id}-note`}
        className={cn('h-10 rounded-lg border border-input bg-surface px-3 shadow-xs', error && 'border-danger')}
        {...rest}
      />
      {note !== undefined && (
        <p id={`${id}-note`} className={cn('text-[0.8125rem]', error ? 'text-danger' : 'text-muted-foreground')}>
          {note}
        </p>
      )}
    </div>
  );
}
