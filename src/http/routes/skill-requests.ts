// Shared parts of requests that change skills: the author, the skill, and the response.
import type { EditOutcome, SkillAuthor } from '../../skills/edit/skill-editing.ts';
import type { Skills } from '../../skills/skills.ts';
import type { AppContext } from '../api/context.ts';
import { actorOf, pathParam } from '../api/route-access.ts';
import { blockedSchema, presentBlocked, presentSkillDetail, skillDetailSchema } from '../presenters/skill.ts';

export const SKILL = '/api/skills/{skill_name}';
export const blockedResponse = {
  description:
    'A field is not valid, or the scan found something critical, which an administrator can confirm',
  schema: blockedSchema,
};
export const changedResponses = {
  200: { description: 'The skill', schema: skillDetailSchema },
  422: blockedResponse,
};
export const REFUSALS = ['not_found', 'conflict', 'insufficient_storage'] as const;

/** Responds with the changed skill, or with the findings that block the change. */
export async function answered(
  c: AppContext,
  skills: Skills,
  { outcome, status }: { readonly outcome: EditOutcome; readonly status: 200 | 201 },
): Promise<Response> {
  if (outcome.kind === 'blocked') return c.json(presentBlocked(outcome.findings), 422);
  return c.json(presentSkillDetail(await skills.detailOf(c.var.user.id, outcome.name)), status);
}

/** Returns the user of the request as the author of a change. */
export function authorOf(
  c: AppContext,
  { confirm }: { readonly confirm: boolean } = { confirm: false },
): SkillAuthor {
  const { userId, isAdministrator, clientIp } = actorOf(c);
  return { userId, author: 'human', threadId: null, clientIp, isConfirmed: confirm && isAdministrator };
}

export function skillName(c: AppContext): string {
  return pathParam(c, 'skill_name');
}
