// The account: another password, or no account any more.
import { Link } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import type { FormEvent } from 'react';
import { fieldError, formError } from '../api/client.ts';
import { Button, buttonClass } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { TextField } from '../ui/text-field.tsx';
import { useChangePassword, useDeleteAccount } from './session.ts';

export function AccountPage() {
  return (
    <main className="mx-auto grid w-full max-w-md gap-8 p-4 sm:py-10">
      <div className="flex items-center gap-2">
        <Link to="/" aria-label="To the notes" className={buttonClass('quiet', 'icon')}>
          <ArrowLeft />
        </Link>
        <h1 className="text-xl font-semibold tracking-tight">Account</h1>
      </div>
      <PasswordForm />
      <DeletionForm />
    </main>
  );
}

/** The values of the form by name, and how to empty it. The browser does not send it. */
function read(event: FormEvent<HTMLFormElement>) {
  event.preventDefault();
  const form = event.currentTarget;
  const data = new FormData(form);
  return { textOf: (name: string) => String(data.get(name)), clear: () => form.reset() };
}

function PasswordForm() {
  const change = useChangePassword();
  const { error } = change;
  const general = formError(error, 'password', 'newPassword');
  const submit = (event: FormEvent<HTMLFormElement>) => {
    const { textOf, clear } = read(event);
    const body = { password: textOf('password'), newPassword: textOf('newPassword') };
    change.mutate(body, { onSuccess: clear });
  };
  return (
    <form onSubmit={submit} className="grid gap-4" aria-label="Change password">
      <h2 className="font-medium">Change password</h2>
      {general !== undefined && <Notice>{general}</Notice>}
      <TextField
        label="Current password"
        type="password"
        name="password"
        autoComplete="current-password"
        error={fieldError(error, 'password')}
      />
      <TextField
        label="New password"
        type="password"
        name="newPassword"
        autoComplete="new-password"
        hint="At least 10 characters. You are signed out everywhere else."
        error={fieldError(error, 'newPassword')}
      />
      <div className="flex items-center gap-3">
        <Button type="submit" isPending={change.isPending}>
          Change password
        </Button>
        <p role="status" className="text-sm text-muted-foreground">
          {change.isSuccess && 'Password changed'}
        </p>
      </div>
    </form>
  );
}

function DeletionForm() {
  const remove = useDeleteAccount();
  const { error } = remove;
  const general = formError(error, 'password');
  const submit = (event: FormEvent<HTMLFormElement>) => remove.mutate({ password: read(event).textOf('password') });
  return (
    <form onSubmit={submit} className="grid gap-4 border-t pt-8" aria-label="Delete account">
      <h2 className="font-medium">Delete account</h2>
      <p className="text-sm text-muted-foreground">Deletes the account and all of its notes. This cannot be undone.</p>
      {general !== undefined && <Notice>{general}</Notice>}
      <TextField
        label="Password"
        type="password"
        name="password"
        autoComplete="current-password"
        error={fieldError(error, 'password')}
      />
      <div>
        <Button type="submit" look="danger" isPending={remove.isPending}>
          Delete account
        </Button>
      </div>
    </form>
  );
}
