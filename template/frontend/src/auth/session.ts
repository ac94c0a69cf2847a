// The signed-in user, and how that changes.
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { answer, client, RequestError, type User } from '../api/client.ts';

/** `null` without a session. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: (): Promise<User | null> =>
    answer(client.GET('/auth/me')).catch((error) => {
      if (error instanceof RequestError && error.status === 401) return null;
      throw error;
    }),
});

/** Signs in, with an account that is made for it when `isNew`. */
export function useSignIn(isNew: boolean) {
  const setUser = useSetUser();
  return useMutation({
    mutationFn: (body: { email: string; password: string }) =>
      answer(isNew ? client.POST('/auth/register', { body }) : client.POST('/auth/sign-in', { body })),
    onSuccess: setUser,
  });
}

export function useSignOut() {
  const setUser = useSetUser();
  return useMutation({ mutationFn: () => answer(client.POST('/auth/sign-out')), onSuccess: () => setUser(null) });
}

/** Ends all other sessions of the account. */
export function useChangePassword() {
  return useMutation({
    mutationFn: (body: { password: string; newPassword: string }) =>
      answer(client.POST('/auth/change-password', { body })),
  });
}

export function useDeleteAccount() {
  const setUser = useSetUser();
  return useMutation({
    mutationFn: (body: { password: string }) => answer(client.POST('/auth/delete-account', { body })),
    onSuccess: () => setUser(null),
  });
}

/** Removes everything of the previous user. */
function useSetUser() {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  return (user: User | null) => {
    queryClient.clear();
    queryClient.setQueryData(meQuery.queryKey, user);
    return navigate({ to: user === null ? '/sign-in' : '/' });
  };
}
