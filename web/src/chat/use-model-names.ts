// What people read in the place of the name of a model.
import { useQuery } from '@tanstack/react-query';
import { useServices } from '../services.tsx';

/** Gives the display name; the name itself for models that the service does not offer any longer. */
export function useModelNames(): (name: string) => string {
  const { api } = useServices();
  const models = useQuery({ queryKey: ['models'], queryFn: () => api.models() }).data ?? [];
  return (name) => models.find((it) => it.name === name)?.display_name ?? name;
}
