// Custom skills: created, changed, deleted, rolled back, and restored after deletion.
import { z } from 'zod';
import { MAX_TEXT_BYTES, SKILL_FILE } from '../../skills/skill-text.ts';
import type { Skills } from '../../skills/skills.ts';
import { actorOf } from '../api/route-access.ts';
import { ok, type RouteTable } from '../api/route-table.ts';
import {
  deletedSkillSchema,
  presentBlocked,
  presentDeletedSkill,
  presentSkillChange,
  presentSkillDetail,
  skillChangeSchema,
  skillDetailSchema,
} from '../presenters/skill.ts';
import { mountSkillFiles } from './skill-files.ts';
import {
  answered,
  authorOf,
  blockedResponse,
  changedResponses,
  REFUSALS,
  SKILL,
  skillName,
} from './skill-requests.ts';

const COLLECTION = '/api/skills';

const content = z
  .string()
  .max(MAX_TEXT_BYTES)
  .meta({
    description: 'A whole SKILL.md',
    examples: ['---\nname: tea\ndescription: How to make tea.\n---\n\nBoil.'],
  });
const confirm = z
  .boolean()
  .default(false)
  .meta({ description: 'An administrator has reviewed the critical findings of the scan' });
const newSkillBody = z.object({ content, confirm }).meta({ id: 'NewSkill' });
const changeBody = z
  .object({ enabled: z.boolean().optional(), content: content.optional(), confirm })
  .meta({ id: 'SkillUpdate' });
const rollbackBody = z.object({
  history_index: z
    .int()
    .min(-1_000_000)
    .max(1_000_000_000)
    .default(-1)
    .meta({ description: 'The change to undo; below 0: counted from the last one' }),
  confirm,
});

export function mountSkillEdits(routes: RouteTable, skills: Skills): void {
  mountSkill(routes, skills);
  mountSkillFiles(routes, skills);
  mountHistory(routes, skills);
  mountDeletedSkills(routes, skills);
}

function mountSkill(routes: RouteTable, skills: Skills): void {
  routes.post(COLLECTION, {
    operationId: 'createSkill',
    errors: REFUSALS,
    summary: 'Create a custom skill from a SKILL.md',
    body: { kind: 'json', schema: newSkillBody },
    responses: { 201: { description: 'The skill', schema: skillDetailSchema }, 422: blockedResponse },
    handle: async (c, { body }) =>
      answered(c, skills, {
        outcome: await skills.editor.create(authorOf(c, body), { content: body.content }),
        status: 201,
      }),
  });

  routes.put(SKILL, {
    operationId: 'updateSkill',
    errors: REFUSALS,
    summary: 'Replace the SKILL.md of a custom skill, or switch a skill for yourself',
    body: { kind: 'json', schema: changeBody },
    responses: changedResponses,
    handle: async (c, { body }) => {
      const name = skillName(c);
      if (body.content !== undefined) {
        const file = { path: SKILL_FILE, content: body.content };
        const outcome = await skills.editor.write(authorOf(c, body), name, file);
        if (outcome.kind === 'blocked') return c.json(presentBlocked(outcome.findings), 422);
      }
      if (body.enabled !== undefined) {
        await skills.switch(actorOf(c), { name, scope: 'me', isOn: body.enabled });
      }
      return c.json(presentSkillDetail(await skills.detailOf(c.var.user.id, name)));
    },
  });

  routes.delete(SKILL, {
    operationId: 'deleteSkill',
    errors: REFUSALS,
    summary: 'Delete a custom skill; it can be restored while it is among the last twenty',
    responses: ok('It is gone', z.object({ success: z.literal(true) })),
    handle: async (c) => {
      await skills.editor.remove(authorOf(c), skillName(c));
      return c.json({ success: true });
    },
  });
}

function mountHistory(routes: RouteTable, skills: Skills): void {
  routes.get(`${SKILL}/history`, {
    operationId: 'listSkillHistory',
    errors: ['not_found', 'conflict'],
    summary: 'What was changed in a custom skill, also after it was deleted; the newest change last',
    responses: ok('The last hundred', z.object({ history: z.array(skillChangeSchema) })),
    handle: async (c) => {
      const changes = await skills.editor.history(c.var.user.id, skillName(c));
      return c.json({ history: changes.map(presentSkillChange) });
    },
  });

  routes.post(`${SKILL}/rollback`, {
    operationId: 'rollbackSkill',
    errors: REFUSALS,
    summary: 'Put back what a change replaced, removed or deleted',
    body: { kind: 'json', schema: rollbackBody, optional: true },
    responses: changedResponses,
    handle: async (c, { body }) => {
      const outcome = await skills.editor.rollback(authorOf(c, body), skillName(c), body.history_index);
      return answered(c, skills, { outcome, status: 200 });
    },
  });
}

const DELETED = '/api/deleted-skills';
const DELETED_MEMBER = `${DELETED}/{skill_name}`;

function mountDeletedSkills(routes: RouteTable, skills: Skills): void {
  routes.get(DELETED, {
    operationId: 'listDeletedSkills',
    summary: 'Your deleted custom skills, newest first; the last twenty are kept',
    responses: ok('All of them', z.object({ skills: z.array(deletedSkillSchema) })),
    handle: async (c) => {
      const deleted = await skills.editor.deleted(c.var.user.id);
      return c.json({ skills: deleted.map(presentDeletedSkill) });
    },
  });

  routes.post(`${DELETED_MEMBER}/restore`, {
    operationId: 'restoreSkill',
    errors: [...REFUSALS, 'invalid'],
    summary: 'Restore a deleted skill with all its files and switch it on',
    responses: ok('The skill', skillDetailSchema),
    handle: async (c) => {
      const name = skillName(c);
      await skills.editor.restore(authorOf(c), name);
      return c.json(presentSkillDetail(await skills.detailOf(c.var.user.id, name)));
    },
  });

  routes.delete(DELETED_MEMBER, {
    operationId: 'purgeSkill',
    errors: REFUSALS,
    summary: 'Delete a skill permanently, and its history unless a new skill has the same name',
    responses: ok('It is gone', z.object({ success: z.literal(true) })),
    handle: async (c) => {
      await skills.editor.purge(authorOf(c), skillName(c));
      return c.json({ success: true });
    },
  });
}
