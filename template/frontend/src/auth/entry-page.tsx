// Sign in or register: the same form with other words.
import { Link } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { fieldError, formError } from '../api/client.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { TextField } from '../ui/text-field.tsx';
import { useSignIn } from './session.ts';

export const SignInPage = () => <EntryPage key="sign-in" isNew={false} />;
export const RegisterPage = () => <EntryPage key="register" isNew />;

function EntryPage({ isNew }: { isNew: boolean }) {
  const signIn = useSignIn(isNew);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    signIn.mutate({ email: String(form.get('email')), password: String(form.get('password')) });
  };
  const { error } = signIn;
  const general = formError(error, 'email', 'password');
  return (
    <main className="grid min-h-full place-items-center bg-sidebar p-4">
      <div className="w-full max-w-[25rem] py-8">
        <div className="rounded-2xl border bg-surface p-6 shadow-soft sm:p-8">
          <img src="/favicon.svg" alt="" className="size-9" />
          <h1 className="mt-5 text-xl font-semibold tracking-tight">{isNew ? 'Create an account' : 'Sign in'}</h1>
          <form onSubmit={submit} className="mt-6 grid gap-4">
            {general !== undefined && <Notice>{general}</Notice>}
            <TextField
              label="E-mail"
              type="email"
              name="email"
              autoComplete="username"
              error={fieldError(error, 'email')}
            />
            <TextField
              label="Password"
              type="password"
              name="password"
              autoComplete={isNew ? 'new-password' : 'current-password'}
              hint={isNew ? 'At least 10 characters.' : undefined}
              error={fieldError(error, 'password')}
            />
            <Button type="submit" isPending={signIn.isPending}>
              {isNew ? 'Create account' : 'Sign in'}
            </Button>
          </form>
        </div>
        <p className="mt-5 text-center text-sm text-muted-foreground">
          {isNew ? 'You have one? ' : 'No account yet? '}
          <Link to={isNew ? '/sign-in' : '/register'} className="font-medium text-primary underline underline-offset-4">
            {isNew ? 'Sign in' : 'Create one'}
          </Link>
        </p>
      </div>
    </main>
  );
}
