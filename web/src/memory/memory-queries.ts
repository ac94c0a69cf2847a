// What agents remember of the signed-in person, and what changes it.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Api } from '../api/api.ts';
import type { Memory } from '../api/memory-calls.ts';
import { useServices } from '../services.tsx';

const keyOf = (agent: string) => ['memory', agent];
const CONFIG = ['memory-config'];

export function useMemory(agent: string) {
  const { api } = useServices();
  // Agents learn while the page is away.
  return useQuery({ queryKey: keyOf(agent), queryFn: () => api.memory(agent), staleTime: 0 });
}

/** A change answers the memory as it is then. What was refused may have been changed elsewhere: it is read again. */
export function useMemoryChange<Change>(agent: string, change: (api: Api, it: Change) => Promise<Memory>) {
  const { api } = useServices();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (it: Change) => change(api, it),
    onSuccess: (memory) => queryClient.setQueryData(keyOf(agent), memory),
    onError: () => queryClient.invalidateQueries({ queryKey: keyOf(agent) }),
  });
}

export function useMemoryConfig() {
  const { api } = useServices();
  return useQuery({ queryKey: CONFIG, queryFn: () => api.memoryConfig(), staleTime: 0 });
}

export function useSwitchMemory() {
  const { api } = useServices();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (isOn: boolean) => api.switchMemory(isOn),
    onSuccess: (config) => queryClient.setQueryData(CONFIG, config),
  });
}
