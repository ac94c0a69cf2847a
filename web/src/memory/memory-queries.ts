// The memory of the signed-in person as a query, and the changes to it.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Api } from '../api/api.ts';
import type { Memory } from '../api/memory-calls.ts';
import { useServices } from '../services/services.tsx';

const keyOf = (agent: string) => ['memory', agent];
const CONFIG = ['memory-config'];

export function useMemory(agent: string) {
  const { api } = useServices();
  // Agents add facts while the page is in the background.
  return useQuery({ queryKey: keyOf(agent), queryFn: () => api.memory(agent), staleTime: 0 });
}

/**
 * Changes the memory. A change returns the new memory. After an error the memory is read again, since it may
 * have changed elsewhere.
 */
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
