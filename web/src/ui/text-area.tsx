// A labelled box for text of more than one line, with its hint and its error.
import { type ComponentProps, useId } from 'react';
import { cn } from './cn.ts';

type TextAreaProps = Omit<ComponentProps<'textarea'>, 'id'> & {
  readonly label: string;
  /** Where the place of the box already says what it is for. */
  readonly isLabelHidden?: boolean;
  readonly hint?: string;
  readonly error?: string | undefined;
};

const MOST_ROWS = 14;

export function TextArea({ label, isLabelHidden = false, hint, error, className, ...rest }: TextAreaProps) {
  const id = useId();
  const note = error ?? hint;
  const lines = typeof rest.value === 'string' ? rest.value.split('\n').length : 1;
  return (
    <div className="grid min-w-0 gap-1.5">
      <label htmlFor={id} className={isLabelHidden ? 'sr-only' : 'text-sm font-medium'}>
        {label}
      </label>
      <textarea
        id={id}
        rows={Math.min(lines, MOST_ROWS)}
        aria-invalid={error === undefined ? undefined : true}
        aria-describedby={note === undefined ? undefined : `${id}-note`}
        className={cn(
          'field-sizing-content max-h-80 min-h-10 w-full resize-y rounded-lg border border-input bg-background px-3 py-2 text-base leading-relaxed sm:text-sm',
          'placeholder:text-muted-foreground focus-visible:outline-offset-0',
          error !== undefined && 'border-danger',
          className,
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
