// The skills of the signed-in person as a query, and the changes to them.
import { type QueryClient, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Api } from '../api/api.ts';
import type { NewSkill, SkillSwitch, WayBack, WrittenFile } from '../api/skill-calls.ts';
import { useServices } from '../services/services.tsx';

/** Everything under this key is read again after a change, because a changed file changes the list too. */
const SKILLS = ['skills'];
const DELETED = ['deleted-skills'];

const skillsQuery = (api: Api) => queryOptions({ queryKey: SKILLS, queryFn: () => api.skills() });

export function useSkills({ enabled = true } = {}) {
  const { api } = useServices();
  return useQuery({ ...skillsQuery(api), enabled });
}

export function useSkill(name: string) {
  const { api } = useServices();
  return useQuery({ queryKey: [...SKILLS, name], queryFn: () => api.skill(name) });
}

export function useSkillFile(name: string, path: string) {
  const { api } = useServices();
  return useQuery({
    queryKey: [...SKILLS, name, 'files', path],
    queryFn: () => api.skillFile(name, path),
  });
}

export function useSkillHistory(name: string) {
  const { api } = useServices();
  return useQuery({ queryKey: [...SKILLS, name, 'history'], queryFn: () => api.skillHistory(name) });
}

/** Moves the switch immediately, and moves it back if the service refuses. */
export function useSwitchSkill() {
  const { api } = useServices();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (it: SkillSwitch) => api.switchSkill(it),
    onMutate: async ({ name, isOn, scope }) => {
      await queryClient.cancelQueries({ queryKey: SKILLS });
      const changed = scope === 'me' ? { enabled: isOn } : { globally_enabled: isOn };
      queryClient.setQueryData(skillsQuery(api).queryKey, (skills) =>
        skills?.map((skill) => (skill.name === name ? { ...skill, ...changed } : skill)),
      );
    },
    onSettled: () => refreshSkills(queryClient),
  });
}

export function useCreateSkill() {
  const { api } = useServices();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (skill: NewSkill) => api.createSkill(skill),
    onSuccess: () => refreshSkills(queryClient),
  });
}

export function useDeleteSkill() {
  const { api } = useServices();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (name: string) => api.deleteSkill(name),
    onSuccess: async () => {
      // Queries of the deleted skill must not be fetched again. The list is shown next.
      const lists = [SKILLS, DELETED].map((queryKey) => ({
        queryKey,
        exact: true,
        refetchType: 'all' as const,
      }));
      await Promise.all(lists.map((filter) => queryClient.invalidateQueries(filter)));
    },
  });
}

export function useDeletedSkills() {
  const { api } = useServices();
  return useQuery({ queryKey: DELETED, queryFn: () => api.deletedSkills() });
}

export function useRestoreSkill() {
  const { api } = useServices();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (name: string) => api.restoreSkill(name),
    // The deleted skill may be gone: another window restored or deleted it.
    onSettled: () => refreshSkills(queryClient),
  });
}

export function usePurgeSkill() {
  const { api } = useServices();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (name: string) => api.purgeSkill(name),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: DELETED }),
  });
}

export function useWriteSkillFile(name: string) {
  const { api } = useServices();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (file: WrittenFile) => api.writeSkillFile(name, file),
    onSuccess: () => refreshSkills(queryClient),
  });
}

export function useRemoveSkillFile(name: string) {
  const { api } = useServices();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (path: string) => api.removeSkillFile(name, path),
    onSuccess: () => refreshSkills(queryClient),
  });
}

export function useRollBackSkill(name: string) {
  const { api } = useServices();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (way: WayBack) => api.rollBackSkill(name, way),
    onSuccess: () => refreshSkills(queryClient),
  });
}

export async function refreshSkills(queryClient: QueryClient): Promise<void> {
  await Promise.all([SKILLS, DELETED].map((queryKey) => queryClient.invalidateQueries({ queryKey })));
}
