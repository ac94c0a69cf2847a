// The skills of the signed-in person, and what changes them.
import { type QueryClient, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Api } from '../api/api.ts';
import type { SkillSwitch } from '../api/skill-calls.ts';
import { useServices } from '../services.tsx';

/** Of the list; that of one skill begins with it. */
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

/** The list, and whatever is known of one. */
export function refreshSkills(queryClient: QueryClient): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: SKILLS });
}
