// The skills of the signed-in person, and what changes them.
import { type QueryClient, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Api } from '../api/api.ts';
import type { SkillSwitch } from '../api/skill-calls.ts';
import { useServices } from '../services.tsx';

/** Everything below it is read again after a change: one of a file changes the list, too. */
const SKILLS = ['skills'];

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

/** The switch moves at once, and back when the service refuses. */
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
    mutationFn: (content: string) => api.createSkill(content),
    onSuccess: () => refreshSkills(queryClient),
  });
}

export function useDeleteSkill() {
  const { api } = useServices();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (name: string) => api.deleteSkill(name),
    // What is still shown of it must not be asked for again.
    onSuccess: () => queryClient.invalidateQueries({ queryKey: SKILLS, exact: true }),
  });
}

export interface WrittenFile {
  readonly path: string;
  readonly text: string;
}

export function useWriteSkillFile(name: string) {
  const { api } = useServices();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ path, text }: WrittenFile) => api.writeSkillFile(name, path, text),
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
    mutationFn: (index: number) => api.rollBackSkill(name, index),
    onSuccess: () => refreshSkills(queryClient),
  });
}

export function refreshSkills(queryClient: QueryClient): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: SKILLS });
}
