// What the signed-in person has used: the last 30 days, and what is left of today.
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { Api } from '../api/api.ts';
import { useServices } from '../services.tsx';

const usageQuery = (api: Api) =>
  queryOptions({ queryKey: ['usage'], queryFn: () => api.usage(), staleTime: 0 });

export function useUsage() {
  const { api } = useServices();
  return useQuery(usageQuery(api));
}
