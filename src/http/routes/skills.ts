// Skills of the person who asks (contract, Gateway: skills).
import { z } from 'zod';
import type { Skills } from '../../skills/skills.ts';
import type { SkillPerson } from '../../skills/switch-skill.ts';
import type { Clients } from '../clients.ts';
import type { AppContext } from '../context.ts';
import { presentSkill, presentSkillDetail, skillDetailSchema, skillSchema } from '../presenters/skill.ts';
import { GATEWAY } from '../route-family.ts';
import type { MountClientRoutes, RouteTable } from '../route-table.ts';

export interface SkillRouteDependencies {
  readonly skills: Skills;
}

const { tag } = GATEWAY;
const COLLECTION = '/api/skills';
const MEMBER = `${COLLECTION}/{skill_name}`;
const scopeBody = z.object({
  scope: z.enum(['me', 'everyone']).default('me').meta({
    description: '`everyone` is for administrators and public skills',
  }),
});
const doneSchema = z.object({ success: z.literal(true), message: z.string() });

export function skillRoutes({ skills }: SkillRouteDependencies): MountClientRoutes {
  return (routes, clients) => {
    mountReading(routes, skills);
    mountSwitch(routes, { skills, clients, isOn: true });
    mountSwitch(routes, { skills, clients, isOn: false });
  };
}

function mountReading(routes: RouteTable, skills: Skills): void {
  routes.add({
    method: 'get',
    path: COLLECTION,
    tag,
    operationId: 'listSkills',
    errors: [],
    summary: 'Your skills and the public ones, by name; your own hides a public one of the same name',
    answers: { 200: { description: 'All of them', schema: z.object({ skills: z.array(skillSchema) }) } },
    handle: async (c) => c.json({ skills: (await skills.list(c.var.user.id)).map(presentSkill) }),
  });

  routes.add({
    method: 'get',
    path: MEMBER,
    tag,
    operationId: 'getSkill',
    errors: ['not_found'],
    summary: 'A skill with its instructions and the list of its files',
    answers: { 200: { description: 'The skill', schema: skillDetailSchema } },
    handle: async (c) => c.json(presentSkillDetail(await skills.detailOf(c.var.user.id, skillName(c)))),
  });
}

interface SwitchParts {
  readonly skills: Skills;
  readonly clients: Clients;
  readonly isOn: boolean;
}

function mountSwitch(routes: RouteTable, { skills, clients, isOn }: SwitchParts): void {
  const verb = isOn ? 'enable' : 'disable';
  routes.add<z.output<typeof scopeBody>>({
    method: 'post',
    path: `${MEMBER}/${verb}`,
    tag,
    operationId: `${verb}Skill`,
    errors: ['not_found', 'insufficient_storage'],
    summary: `Switch a skill ${isOn ? 'on' : 'off'} for yourself, or a public one for everyone`,
    body: { kind: 'json', schema: scopeBody, optional: true },
    answers: { 200: { description: 'Runs that start from now on know it', schema: doneSchema } },
    handle: async (c, { body: { scope } }) => {
      const { name } = await skills.switch(personOf(c, clients), { name: skillName(c), scope, isOn });
      const forWhom = scope === 'everyone' ? ' for everyone' : '';
      return c.json({ success: true, message: `Skill '${name}' ${verb}d${forWhom}` });
    },
  });
}

function personOf(c: AppContext, clients: Clients): SkillPerson {
  const { id, systemRole } = c.var.user;
  return { userId: id, isAdministrator: systemRole === 'admin', clientIp: clients.ip(c) };
}

function skillName(c: AppContext): string {
  return c.req.param('skill_name') ?? '';
}
