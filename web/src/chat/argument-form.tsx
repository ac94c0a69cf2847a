// Changes the arguments of a tool call before it is allowed.
import { type FormEvent, useState } from 'react';
import { argumentWords } from '../tool-cards/tool-words.ts';
import { TextArea } from '../ui/text-area.tsx';
import { toArguments, toFields } from './argument-fields.ts';
import { SubmitOrCancel } from './submit-or-cancel.tsx';

interface ArgumentFormProps {
  readonly args: Readonly<Record<string, unknown>>;
  readonly onAllow: (args: Readonly<Record<string, unknown>>) => void;
  readonly onCancel: () => void;
}

export function ArgumentForm({ args, onAllow, onCancel }: ArgumentFormProps) {
  const [fields, setFields] = useState(() => toFields(args));
  const [invalid, setInvalid] = useState<string>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const read = toArguments(fields);
    if (read.kind === 'arguments') onAllow(read.args);
    else setInvalid(read.field);
  };
  return (
    <form onSubmit={submit} aria-label="Change the arguments" className="grid min-w-0 gap-3.5">
      {fields.map((field) => (
        <TextArea
          key={field.name}
          label={argumentWords(field.name)}
          value={field.text}
          autoFocus={field === fields[0]}
          spellCheck={field.kind === 'words'}
          className="font-mono sm:text-[0.8125rem]"
          error={invalid === field.name ? 'This must be JSON. Check quotes, commas and brackets.' : undefined}
          onChange={({ target }) => {
            setInvalid(undefined);
            setFields(fields.map((it) => (it === field ? { ...it, text: target.value } : it)));
          }}
        />
      ))}
      <SubmitOrCancel onCancel={onCancel}>Allow with changes</SubmitOrCancel>
    </form>
  );
}
