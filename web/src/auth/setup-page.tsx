// First-time setup: the generated administrator account gets a person's e-mail address and password.
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useServices } from '../services/services.tsx';
import { Notice } from '../ui/notice.tsx';
import { formText, TextField } from '../ui/text-field.tsx';
import { AuthCard, authErrorText, NewPasswordField, SubmitButton } from './auth-form.tsx';
import { GENERATED_PASSWORD, useEntry } from './session.ts';

const WRONG_PASSWORD = { invalid_credentials: 'The generated password is incorrect.' };

export function SetupPage() {
  const { api } = useServices();
  const queryClient = useQueryClient();
  const [typedBefore] = useState(() => queryClient.getQueryData<string>(GENERATED_PASSWORD));
  const setUp = useEntry(
    (form: { readonly current: string; readonly next: string; readonly email: string }) =>
      api.changePassword(form),
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    setUp.mutate({
      current: typedBefore ?? formText(form, 'current'),
      next: formText(form, 'password'),
      email: formText(form, 'email'),
    });
  };
  return (
    <AuthCard
      title="Set up your account"
      lead="You signed in with generated credentials. Choose an e-mail address and a password; the file with the generated ones is then deleted."
    >
      <form onSubmit={submit} className="grid gap-4">
        {setUp.error !== null && <Notice tone="danger">{authErrorText(setUp.error, WRONG_PASSWORD)}</Notice>}
        <TextField label="Your e-mail" name="email" type="email" autoComplete="username" required autoFocus />
        {typedBefore === undefined && (
          <TextField
            label="Generated password"
            name="current"
            type="password"
            autoComplete="current-password"
            required
            hint="The one you signed in with."
          />
        )}
        <NewPasswordField label="New password" />
        <SubmitButton isPending={setUp.isPending} className="mt-1">
          Save and start
        </SubmitButton>
      </form>
    </AuthCard>
  );
}
