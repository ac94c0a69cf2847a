// The parts that the form and the JSON editor of a tool server share: the name field and the buttons.
import type { FormEvent, ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/text-field.tsx';
import type { Saving } from './use-saving.ts';

interface ServerEditorProps {
  readonly saving: Saving;
  readonly onSubmit: () => void;
  readonly onCancel: () => void;
  readonly children: ReactNode;
}

export function ServerEditor({ saving, onSubmit, onCancel, children }: ServerEditorProps) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form onSubmit={submit} className="grid gap-4">
      {children}
      <div className="mt-1 flex justify-end gap-2">
        <Button variant="secondary" onClick={onCancel}>
          Cancel
        </Button>
        <Button type="submit" disabled={saving.isPending}>
          Save and test
        </Button>
      </div>
    </form>
  );
}

interface NewServerNameProps {
  readonly value: string;
  readonly autoFocus?: boolean;
  readonly error?: string | undefined;
  readonly onChange: (name: string) => void;
}

export function NewServerName({ value, autoFocus = false, error, onChange }: NewServerNameProps) {
  return (
    <TextField
      label="Name"
      value={value}
      onChange={({ target }) => onChange(target.value)}
      required
      autoFocus={autoFocus}
      autoCapitalize="off"
      spellCheck={false}
      maxLength={64}
      pattern="[A-Za-z0-9][A-Za-z0-9_\-]*"
      title="Use letters, digits, hyphens and underscores, with a letter or a digit first."
      hint="A word, such as calendar. The names of its tools begin with this word."
      error={error}
    />
  );
}
