// Creates a key and shows it only once.
import type { FormEvent } from 'react';
import type { NewKeyForm } from '../api/auth-calls.ts';
import { asksForPassword, ConfirmPasswordDialog } from '../auth/account-dialogs.tsx';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Notice } from '../ui/notice.tsx';
import { formText, TextField } from '../ui/text-field.tsx';
import { useMakeKey } from './key-queries.ts';

const DAY = 86_400_000;
const ENDS = [
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
  { value: '', label: 'Never' },
] as const;
const DEFAULT_END = '90';

const SELECT =
  'h-11 w-full rounded-lg border border-input bg-surface px-3 text-base shadow-xs sm:h-10 sm:text-[0.9375rem]';

export function NewKeyDialog({ onClose }: { readonly onClose: () => void }) {
  const make = useMakeKey();
  if (make.data !== undefined) return <MadeKey text={make.data.key} onClose={onClose} />;
  const needsPassword = asksForPassword(make.error);
  return (
    <Dialog open onClose={onClose} title="New API key">
      {needsPassword && (
        <ConfirmPasswordDialog
          onConfirmed={() => make.variables !== undefined && make.mutate(make.variables)}
          onClose={() => make.reset()}
        />
      )}
      {make.error !== null && !needsPassword && (
        <div className="mb-4">
          <Notice tone="danger">{make.error.message}</Notice>
        </div>
      )}
      <KeyForm isPending={make.isPending} onSubmit={make.mutate} onCancel={onClose} />
    </Dialog>
  );
}

interface KeyFormProps {
  readonly isPending: boolean;
  readonly onSubmit: (form: NewKeyForm) => void;
  readonly onCancel: () => void;
}

function KeyForm({ isPending, onSubmit, onCancel }: KeyFormProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const days = Number(formText(form, 'days'));
    onSubmit({
      name: formText(form, 'name'),
      mayWrite: formText(form, 'scope') === 'write',
      expiresAt: days > 0 ? new Date(Date.now() + days * DAY) : null,
    });
  };
  return (
    <form onSubmit={submit} className="grid gap-4">
      <TextField label="Name" name="name" maxLength={100} required autoFocus hint="What will use it?" />
      <label className="grid gap-1.5 text-sm font-medium">
        Permissions
        <select name="scope" className={SELECT}>
          <option value="read">Read only</option>
          <option value="write">Read and write</option>
        </select>
      </label>
      <label className="grid gap-1.5 text-sm font-medium">
        Expiration
        <select name="days" defaultValue={DEFAULT_END} className={SELECT}>
          {ENDS.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <div className="mt-1 flex justify-end gap-2">
        <Button variant="secondary" onClick={onCancel}>
          Cancel
        </Button>
        <Button type="submit" disabled={isPending}>
          Create key
        </Button>
      </div>
    </form>
  );
}

function MadeKey({ text, onClose }: { readonly text: string; readonly onClose: () => void }) {
  return (
    <Dialog
      open
      onClose={onClose}
      title="Copy the key now"
      description="It is not shown again. Anyone who has it can act as you."
    >
      <div className="flex items-center gap-2 rounded-lg border border-input bg-muted py-1.5 pr-1.5 pl-3">
        <code
          data-testid="made-key"
          className="min-w-0 flex-1 font-mono text-[0.8125rem] break-all select-all"
        >
          {text}
        </code>
        <CopyButton text={text} label="Copy key" />
      </div>
      <div className="mt-5 flex justify-end">
        <Button onClick={onClose}>Done</Button>
      </div>
    </Dialog>
  );
}
