// The user's skills (docs/contract/skills.md).
import { z } from 'zod';
import type { Skills } from '../../skills/skills.ts';
import { actorOf } from '../api/route-access.ts';
import { ok, type RouteTable } from '../api/route-table.ts';
import { multipartFiles } from '../files/multipart-files.ts';
import {
  blockedSchema,
  findingSchema,
  presentBlocked,
  presentFinding,
  presentSkill,
  presentSkillDetail,
  skillDetailSchema,
  skillSchema,
} from '../presenters/skill.ts';
import { mountSkillEdits } from './skill-edits.ts';
import { SKILL, skillName } from './skill-requests.ts';

const COLLECTION = '/api/skills';
const scopeBody = z.object({
  scope: z.enum(['me', 'everyone']).default('me').meta({
    description: '`everyone` is for administrators and public skills',
  }),
});
const FILE_FIELD = 'file';
const CONFIRM_FIELD = 'confirm';
const installedSchema = z.object({
  success: z.literal(true),
  message: z.string(),
  skill: skillSchema.pick({ name: true, display_name: true, path: true }),
  findings: z.array(findingSchema),
});
const doneSchema = z.object({ success: z.literal(true), message: z.string() });

export function skillRoutes(routes: RouteTable, { skills }: { readonly skills: Skills }): void {
  mountReading(routes, skills);
  mountInstall(routes, skills);
  mountSkillEdits(routes, skills);
  mountSwitch(routes, skills, 'enable');
  mountSwitch(routes, skills, 'disable');
}

function mountReading(routes: RouteTable, skills: Skills): void {
  routes.get(COLLECTION, {
    operationId: 'listSkills',
    summary: 'Your skills and the public ones, by name; your own hides a public one with the same name',
    responses: ok('All of them', z.object({ skills: z.array(skillSchema) })),
    handle: async (c) => c.json({ skills: (await skills.list(c.var.user.id)).map(presentSkill) }),
  });

  routes.get(SKILL, {
    operationId: 'getSkill',
    errors: ['not_found'],
    summary: 'A skill with its instructions and the list of its files',
    responses: ok('The skill', skillDetailSchema),
    handle: async (c) => c.json(presentSkillDetail(await skills.detailOf(c.var.user.id, skillName(c)))),
  });
}

function mountInstall(routes: RouteTable, skills: Skills): void {
  routes.post(`${COLLECTION}/install`, {
    operationId: 'installSkill',
    errors: ['conflict', 'insufficient_storage', 'too_many_attempts'],
    summary: 'Install a .skill package for yourself: all of it or nothing',
    body: { kind: 'multipart', field: FILE_FIELD, texts: [CONFIRM_FIELD] },
    responses: {
      200: { description: 'It is installed, and on', schema: installedSchema },
      422: {
        description:
          'The scan found something critical. After a review, an administrator sends it again with `confirm` = `true`.',
        schema: blockedSchema,
      },
    },
    handle: async (c) => {
      let isConfirmed = false;
      const files = multipartFiles(c, {
        field: FILE_FIELD,
        maxFiles: 1,
        onField: (name, value) => {
          if (name === CONFIRM_FIELD) isConfirmed = value === 'true';
        },
      });
      const person = actorOf(c);
      const outcome = await skills.install(person, { files, isConfirmed: () => isConfirmed });
      if (outcome.kind === 'blocked') return c.json(presentBlocked(outcome.findings), 422);
      const { skill } = await skills.detailOf(person.userId, outcome.name);
      const { name, display_name, path } = presentSkill(skill);
      return c.json({
        success: true,
        message: `Skill '${name}' installed successfully`,
        skill: { name, display_name, path },
        findings: outcome.findings.map(presentFinding),
      });
    },
  });
}

function mountSwitch(routes: RouteTable, skills: Skills, verb: 'enable' | 'disable'): void {
  const isOn = verb === 'enable';
  routes.post(`${SKILL}/${verb}`, {
    operationId: `${verb}Skill`,
    errors: ['not_found', 'insufficient_storage'],
    summary: `Switch a skill ${isOn ? 'on' : 'off'} for yourself, or a public one for everyone`,
    body: { kind: 'json', schema: scopeBody, optional: true },
    responses: ok('Runs that start from now on know it', doneSchema),
    handle: async (c, { body: { scope } }) => {
      const { name } = await skills.switch(actorOf(c), { name: skillName(c), scope, isOn });
      const forWhom = scope === 'everyone' ? ' for everyone' : '';
      return c.json({ success: true, message: `Skill '${name}' ${verb}d${forWhom}` });
    },
  });
}
