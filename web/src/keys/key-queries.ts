// The API keys of the signed-in person.
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Api } from '../api/api.ts';
import type { NewKeyForm } from '../api/auth-calls.ts';
import { useServices } from '../services/services.tsx';

const keysQuery = (api: Api) => queryOptions({ queryKey: ['api-keys'], queryFn: () => api.apiKeys() });

export function useApiKeys() {
  const { api } = useServices();
  return useQuery(keysQuery(api));
}

/** Makes a key. The result contains the key itself, which is never shown again. */
export function useMakeKey() {
  const { api } = useServices();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (form: NewKeyForm) => api.makeApiKey(form),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: keysQuery(api).queryKey }),
  });
}

export function useRevokeKey() {
  const { api } = useServices();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => api.revokeApiKey(id),
    onSettled: () => queryClient.invalidateQueries({ queryKey: keysQuery(api).queryKey }),
  });
}
