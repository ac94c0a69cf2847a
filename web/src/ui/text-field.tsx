// Text fields: one line, several lines, and a filter for a list.
import { type ComponentProps, type FormEvent, useId, useState } from 'react';
import { cn } from './cn.ts';

type TextFieldProps = Omit<ComponentProps<'input'>, 'id'> & {
  readonly label: string;
  readonly hint?: string;
  readonly error?: string | undefined;
};

export function TextField({ label, hint, error, className, ...rest }: TextFieldProps) {
  const id = useId();
  const [refusal, setRefusal] = useState<string>();
  const problem = error ?? refusal;
  const note = problem ?? hint;
  /** Shows the error in the page instead of in a bubble over the next field. */
  const refuse = (event: FormEvent<HTMLInputElement>) => {
    event.preventDefault();
    const input = event.currentTarget;
    setRefusal(refusalOf(input));
    if (input.form?.querySelector(':is(input, textarea, select):invalid') === input) input.focus();
  };
  return (
    <div className={cn('grid gap-1.5', className)}>
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      <input
        id={id}
        aria-invalid={problem === undefined ? undefined : true}
        aria-describedby={note === undefined ? undefined : `${id}-note`}
        className={cn(
          'h-11 w-full rounded-lg border border-input bg-surface px-3 text-base shadow-xs sm:h-10 sm:text-[0.9375rem]',
          'placeholder:text-muted-foreground focus-visible:outline-offset-0',
          problem !== undefined && 'border-danger',
        )}
        onInvalid={refuse}
        onInput={() => setRefusal(undefined)}
        {...rest}
      />
      {note !== undefined && (
        <p
          id={`${id}-note`}
          className={cn('text-[0.8125rem]', problem === undefined ? 'text-muted-foreground' : 'text-danger')}
        >
          {note}
        </p>
      )}
    </div>
  );
}

/** Returns the correction that the field needs, in the words of the app. */
function refusalOf({ validity, type, minLength, title, validationMessage }: HTMLInputElement): string {
  if (validity.valueMissing) return 'Fill in this field.';
  if (validity.typeMismatch && type === 'email') return 'Enter an e-mail address, such as name@example.com.';
  if (validity.tooShort) return `Enter at least ${minLength} characters.`;
  // The title of a field with a pattern describes the accepted values.
  if (validity.patternMismatch && title !== '') return title;
  return validationMessage;
}

type TextAreaProps = Omit<ComponentProps<'textarea'>, 'id'> & {
  readonly label: string;
  /** True for a box whose purpose is clear from its position. */
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

interface FilterBoxProps {
  /** The kind of entries that the box filters, for screen readers. */
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export function FilterBox({ label, value, onChange }: FilterBoxProps) {
  return (
    <input
      type="search"
      aria-label={label}
      placeholder="Filter"
      value={value}
      onChange={({ target }) => onChange(target.value)}
      className="h-10 w-full min-w-0 flex-1 rounded-lg border border-input bg-surface px-3 text-base shadow-xs placeholder:text-muted-foreground focus-visible:outline-offset-0 sm:text-sm"
    />
  );
}

export function formText(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value : '';
}
