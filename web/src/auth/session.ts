// The signed-in user, as queries and route guards.
import { type QueryClient, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { redirect, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import type { Api } from '../api/api.ts';
import type { User } from '../api/shapes.ts';
import { useServices } from '../services/services.tsx';

export interface RouterContext {
  readonly api: Api;
  readonly queryClient: QueryClient;
}

export function meQuery(api: Api) {
  return queryOptions({ queryKey: ['me'], queryFn: () => api.me(), staleTime: Number.POSITIVE_INFINITY });
}

/**
 * Returns the person who was signed in when this part of the screen opened, even if the session has ended
 * since.
 */
export function useUserId(): string {
  const { api } = useServices();
  const queryClient = useQueryClient();
  return useState(() => queryClient.getQueryData(meQuery(api).queryKey)?.id ?? '')[0];
}

export function setupStatusQuery(api: Api) {
  return queryOptions({ queryKey: ['setup-status'], queryFn: () => api.setupStatus() });
}

/**
 * The generated password, kept in memory from the sign-in to the setup so that the person need not paste it
 * twice.
 */
export const GENERATED_PASSWORD = ['generated-password'] as const;

/** Set when the signed-in account was deleted, so that the sign-in page can say so. */
export const ACCOUNT_DELETED = ['account-deleted'] as const;

/**
 * Returns the user, or throws a redirect to the screen that comes first: sign-in, or the first-time setup.
 */
export async function requireUser({ api, queryClient }: RouterContext, here: string): Promise<User> {
  const user = await queryClient.ensureQueryData(meQuery(api));
  if (user === null) throw redirect({ to: '/login', search: here === '/' ? {} : { next: here } });
  if (user.needs_setup) throw redirect({ to: '/setup' });
  return user;
}

/** Signs in. `enter` sends the form. Drops cached data, which may belong to another user. */
export function useEntry<Form>(enter: (form: Form) => Promise<unknown>) {
  const queryClient = useQueryClient();
  const router = useRouter();
  return useMutation({
    mutationFn: enter,
    onSuccess: async () => {
      queryClient.removeQueries();
      await router.navigate({ to: '/' });
    },
  });
}
