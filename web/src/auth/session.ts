// Who is signed in, as queries and guards of routes.
import { type QueryClient, queryOptions, useQueryClient } from '@tanstack/react-query';
import { redirect } from '@tanstack/react-router';
import { useState } from 'react';
import type { Api } from '../api/api.ts';
import type { User } from '../api/shapes.ts';
import { useServices } from '../services.tsx';

export interface RouterContext {
  readonly api: Api;
  readonly queryClient: QueryClient;
}

export function meQuery(api: Api) {
  return queryOptions({ queryKey: ['me'], queryFn: () => api.me(), staleTime: Number.POSITIVE_INFINITY });
}

/** Who was signed in when the part of the screen was opened, also when the session has ended since. */
export function useUserId(): string {
  const { api } = useServices();
  const queryClient = useQueryClient();
  return useState(() => queryClient.getQueryData(meQuery(api).queryKey)?.id ?? '')[0];
}

export function setupStatusQuery(api: Api) {
  return queryOptions({ queryKey: ['setup-status'], queryFn: () => api.setupStatus() });
}

/** The generated password, kept in memory from the sign-in to the setup so that nobody has to paste it twice. */
export const GENERATED_PASSWORD = ['generated-password'] as const;

/** Set when the account that was signed in is no more: the sign-in page says so. */
export const ACCOUNT_DELETED = ['account-deleted'] as const;

/** The user, or a redirect to the screen that comes first: sign in, or the first-time setup. */
export async function requireUser({ api, queryClient }: RouterContext, here: string): Promise<User> {
  const user = await queryClient.ensureQueryData(meQuery(api));
  if (user === null) throw redirect({ to: '/login', search: here === '/' ? {} : { next: here } });
  if (user.needs_setup) throw redirect({ to: '/setup' });
  return user;
}
