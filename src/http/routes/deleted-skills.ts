// Custom skills that were deleted: listed, put back, removed for good.
import { z } from 'zod';
import { GATEWAY } from '../api/route-family.ts';
import type { RouteTable } from '../api/route-table.ts';
import {
  deletedSkillSchema,
  presentDeletedSkill,
  presentSkillDetail,
  skillDetailSchema,
} from '../presenters/skill.ts';
import { authorOf, REFUSALS, type SkillEditRouteParts, skillName } from './skill-requests.ts';

const { tag } = GATEWAY;
const COLLECTION = '/api/deleted-skills';
const MEMBER = `${COLLECTION}/{skill_name}`;

export function mountDeletedSkills(routes: RouteTable, parts: SkillEditRouteParts): void {
  const { skills } = parts;
  routes.add({
    method: 'get',
    path: COLLECTION,
    tag,
    operationId: 'listDeletedSkills',
    errors: [],
    summary: 'Custom skills that you have deleted, the last one first; the last twenty are kept',
    answers: {
      200: { description: 'All of them', schema: z.object({ skills: z.array(deletedSkillSchema) }) },
    },
    handle: async (c) => {
      const deleted = await skills.editor.deleted(c.var.user.id);
      return c.json({ skills: deleted.map(presentDeletedSkill) });
    },
  });

  routes.add({
    method: 'post',
    path: `${MEMBER}/restore`,
    tag,
    operationId: 'restoreSkill',
    errors: [...REFUSALS, 'invalid'],
    summary: 'Put a deleted skill back with all its files; it is on then',
    answers: { 200: { description: 'The skill', schema: skillDetailSchema } },
    handle: async (c) => {
      const name = skillName(c);
      await skills.editor.restore(authorOf(c, parts), name);
      return c.json(presentSkillDetail(await skills.detailOf(c.var.user.id, name)));
    },
  });

  routes.add({
    method: 'delete',
    path: MEMBER,
    tag,
    operationId: 'purgeSkill',
    errors: REFUSALS,
    summary: 'Remove a deleted skill for good, and its history unless you have a new skill of the name',
    answers: { 200: { description: 'It is gone', schema: z.object({ success: z.literal(true) }) } },
    handle: async (c) => {
      await skills.editor.purge(authorOf(c, parts), skillName(c));
      return c.json({ success: true });
    },
  });
}
