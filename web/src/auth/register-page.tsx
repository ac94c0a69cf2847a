// Creates an account. On a service without an administrator, it is the administrator's.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { useServices } from '../services/services.tsx';
import { Notice } from '../ui/notice.tsx';
import { formText, TextField } from '../ui/text-field.tsx';
import { AuthCard, authErrorText, NewPasswordField, SubmitButton } from './auth-form.tsx';
import { setupStatusQuery, useEntry } from './session.ts';

export function RegisterPage() {
  const { api } = useServices();
  const isFirst = useQuery(setupStatusQuery(api)).data?.needs_setup === true;
  const register = useEntry((form: { readonly email: string; readonly password: string }) =>
    isFirst ? api.initialize(form) : api.register(form),
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    register.mutate({ email: formText(form, 'email'), password: formText(form, 'password') });
  };
  return (
    <AuthCard
      title={isFirst ? 'Create the administrator' : 'Create your account'}
      lead={
        isFirst
          ? 'The first account is the administrator.'
          : 'Your chats are private: no other user can see them.'
      }
      footer={
        <>
          Already have an account?{' '}
          <Link
            to="/login"
            className="inline-block py-2.5 font-medium text-primary underline underline-offset-4"
          >
            Sign in
          </Link>
        </>
      }
    >
      <form onSubmit={submit} className="grid gap-4">
        {register.error !== null && <Notice tone="danger">{authErrorText(register.error)}</Notice>}
        <TextField label="E-mail" name="email" type="email" autoComplete="username" required autoFocus />
        <NewPasswordField label="Password" />
        <SubmitButton isPending={register.isPending} className="mt-1">
          Create account
        </SubmitButton>
      </form>
    </AuthCard>
  );
}
