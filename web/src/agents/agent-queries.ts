// The agents of the person as a query, and their labels.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ASSISTANT_ID } from '../api/agent-calls.ts';
import type { Api } from '../api/api.ts';
import { useServices } from '../services/services.tsx';

const AGENTS = ['agents'];

export function useAgents() {
  const { api } = useServices();
  // An edit starts from the current agent, which may have changed on another device.
  return useQuery({ queryKey: AGENTS, queryFn: () => api.agents(), staleTime: 0 });
}

export function useAgentVersions(name: string) {
  const { api } = useServices();
  return useQuery({ queryKey: [...AGENTS, name, 'versions'], queryFn: () => api.agentVersions(name) });
}

/** Reads the whole list again after a change. */
export function useAgentChange<Change, Result>(change: (api: Api, it: Change) => Promise<Result>) {
  const { api } = useServices();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (it: Change) => change(api, it),
    onSettled: () => queryClient.invalidateQueries({ queryKey: AGENTS }),
  });
}

/** Returns the label of an agent. The agent that comes with the service has no name chosen by a person. */
export function agentLabel(name: string): string {
  return name === ASSISTANT_ID ? 'Lead agent' : name;
}
