// A labelled text input with its hint and its error.
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
  /** In the page instead of a bubble over the next field. */
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

/** What is to be done, in the words of the app. */
function refusalOf({ validity, type, minLength, title, validationMessage }: HTMLInputElement): string {
  if (validity.valueMissing) return 'Fill in this field.';
  if (validity.typeMismatch && type === 'email') return 'Enter an e-mail address, such as name@example.com.';
  if (validity.tooShort) return `Enter at least ${minLength} characters.`;
  // A field with a pattern says in its title what it takes.
  if (validity.patternMismatch && title !== '') return title;
  return validationMessage;
}
