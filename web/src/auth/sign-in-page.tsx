// The sign-in page, with e-mail and password.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, Navigate, useRouter } from '@tanstack/react-router';
import { type FormEvent, useMemo } from 'react';
import type { SignInForm } from '../api/auth-calls.ts';
import { RequestError } from '../api/service-error.ts';
import { useServices } from '../services/services.tsx';
import { Notice } from '../ui/notice.tsx';
import { formText, TextField } from '../ui/text-field.tsx';
import { useCountdown } from '../ui/use-now.ts';
import { AuthCard, authErrorText, lockedText, SubmitButton } from './auth-form.tsx';
import { ACCOUNT_DELETED, GENERATED_PASSWORD, meQuery, setupStatusQuery } from './session.ts';

const route = getRouteApi('/login');

export function SignInPage() {
  const { api } = useServices();
  const queryClient = useQueryClient();
  const router = useRouter();
  const { next = '/' } = route.useSearch();
  const status = useQuery(setupStatusQuery(api));
  const signIn = useMutation({
    mutationFn: (form: SignInForm) => api.signIn(form),
    onSuccess: async ({ needs_setup: needsSetup }, { password }) => {
      queryClient.removeQueries();
      if (needsSetup === true) queryClient.setQueryData(GENERATED_PASSWORD, password);
      await queryClient.ensureQueryData(meQuery(api));
      await router.navigate({ href: next });
    },
  });
  const lockLeft = useLockLeft(signIn.error);
  const mayRegister = status.data?.registration_enabled === true;

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    signIn.mutate({
      email: formText(form, 'email'),
      password: formText(form, 'password'),
      remember: form.has('remember'),
    });
  };

  if (status.data?.needs_setup === true) return <Navigate to="/register" />;
  return (
    <AuthCard
      title="Sign in"
      lead="Continue to your chats."
      footer={
        mayRegister && (
          <>
            No account yet?{' '}
            <Link
              to="/register"
              className="inline-block py-2.5 font-medium text-primary underline underline-offset-4"
            >
              Register
            </Link>
          </>
        )
      }
    >
      <form onSubmit={submit} className="grid gap-4">
        {queryClient.getQueryData(ACCOUNT_DELETED) === true && (
          <Notice tone="neutral">Your account was deleted.</Notice>
        )}
        {signIn.error !== null && <SignInError error={signIn.error} lockLeft={lockLeft} />}
        <TextField label="E-mail" name="email" type="email" autoComplete="username" required autoFocus />
        <TextField
          label="Password"
          name="password"
          type="password"
          autoComplete="current-password"
          required
        />
        <RememberMe />
        <SubmitButton isPending={signIn.isPending} isBlocked={lockLeft > 0} className="mt-1">
          Sign in
        </SubmitButton>
      </form>
    </AuthCard>
  );
}

function SignInError({ error, lockLeft }: { readonly error: Error; readonly lockLeft: number }) {
  const isLock = error instanceof RequestError && error.status === 429;
  if (!isLock) return <Notice tone="danger">{authErrorText(error)}</Notice>;
  return <Notice tone="danger">{lockLeft > 0 ? lockedText(lockLeft) : 'You can try again now.'}</Notice>;
}

function useLockLeft(error: Error | null): number {
  const lock = useMemo(() => {
    if (!(error instanceof RequestError) || error.status !== 429) return;
    return error.retryAfterSeconds === undefined ? undefined : { seconds: error.retryAfterSeconds };
  }, [error]);
  return useCountdown(lock);
}

function RememberMe() {
  return (
    <label className="flex items-center gap-2.5 text-sm pointer-coarse:min-h-10">
      <input type="checkbox" name="remember" defaultChecked className="size-4 rounded accent-primary" />
      Stay signed in for a week
    </label>
  );
}
