// The agents that the signed-in person may use, and what changes them.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Api } from '../api/api.ts';
import { useServices } from '../services.tsx';

const AGENTS = ['agents'];

export function useAgents() {
  const { api } = useServices();
  // Whoever changes an agent begins with what it is now: it may have been changed on another device.
  return useQuery({ queryKey: AGENTS, queryFn: () => api.agents(), staleTime: 0 });
}

export function useAgentVersions(name: string) {
  const { api } = useServices();
  return useQuery({ queryKey: [...AGENTS, name, 'versions'], queryFn: () => api.agentVersions(name) });
}

/** After a change all of them are read again. */
export function useAgentChange<Change, Result>(change: (api: Api, it: Change) => Promise<Result>) {
  const { api } = useServices();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (it: Change) => change(api, it),
    onSettled: () => queryClient.invalidateQueries({ queryKey: AGENTS }),
  });
}
