// Custom skills: made, changed, deleted, and put back as they were.
import { z } from 'zod';
import { ServiceError } from '../../errors.ts';
import type { EditOutcome, SkillAuthor } from '../../skills/edit/skill-author.ts';
import { MAX_TEXT_BYTES, SKILL_FILE } from '../../skills/skill-text.ts';
import type { Skills } from '../../skills/skills.ts';
import type { Clients } from '../clients.ts';
import type { AppContext } from '../context.ts';
import {
  blockedSchema,
  presentBlocked,
  presentSkillChange,
  presentSkillDetail,
  skillChangeSchema,
  skillDetailSchema,
} from '../presenters/skill.ts';
import { queryBoolean } from '../query-list.ts';
import { GATEWAY } from '../route-family.ts';
import type { RouteTable } from '../route-table.ts';

interface SkillEditRouteParts {
  readonly skills: Skills;
  readonly clients: Clients;
}

const { tag } = GATEWAY;
const COLLECTION = '/api/skills';
const MEMBER = `${COLLECTION}/{skill_name}`;
const FILE = `${MEMBER}/files/{path}`;
const TEXT = 'text/plain';
/** Files act nowhere, whatever they are. */
const SEALED = "sandbox; default-src 'none'";

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
  .meta({ description: 'An administrator has looked at what the scan finds critical' });
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
    .meta({ description: 'Of the change to take back; below 0: counted from the last one' }),
  confirm,
});
const confirmQuery = z.object({
  confirm: queryBoolean()
    .default(false)
    .describe('An administrator has looked at what the scan finds critical'),
});
const blockedAnswer = {
  description: 'A field is not valid, or a scan found something critical, which an administrator may confirm',
  schema: blockedSchema,
};
const changedAnswers = { 200: { description: 'The skill', schema: skillDetailSchema }, 422: blockedAnswer };
const REFUSALS = ['not_found', 'conflict', 'insufficient_storage'] as const;

export function mountSkillEdits(routes: RouteTable, parts: SkillEditRouteParts): void {
  mountSkill(routes, parts);
  mountFiles(routes, parts);
  mountHistory(routes, parts);
}

function mountSkill(routes: RouteTable, parts: SkillEditRouteParts): void {
  const { skills } = parts;
  routes.add<z.output<typeof newSkillBody>>({
    method: 'post',
    path: COLLECTION,
    tag,
    operationId: 'createSkill',
    errors: REFUSALS,
    summary: 'Make a custom skill of a SKILL.md',
    body: { kind: 'json', schema: newSkillBody },
    answers: { 201: { description: 'The skill', schema: skillDetailSchema }, 422: blockedAnswer },
    handle: async (c, { body }) =>
      answered(c, skills, {
        outcome: await skills.editor.create(authorOf(c, parts, body), { content: body.content }),
        status: 201,
      }),
  });

  routes.add<z.output<typeof changeBody>>({
    method: 'put',
    path: MEMBER,
    tag,
    operationId: 'updateSkill',
    errors: REFUSALS,
    summary: 'Replace the SKILL.md of a custom skill, or switch a skill for yourself',
    body: { kind: 'json', schema: changeBody },
    answers: changedAnswers,
    handle: async (c, { body }) => {
      const name = skillName(c);
      if (body.content !== undefined) {
        const file = { path: SKILL_FILE, content: body.content };
        const outcome = await skills.editor.write(authorOf(c, parts, body), name, file);
        if (outcome.kind === 'blocked') return c.json(presentBlocked(outcome.findings), 422);
      }
      if (body.enabled !== undefined) {
        const { id, systemRole } = c.var.user;
        const person = { userId: id, isAdministrator: systemRole === 'admin', clientIp: parts.clients.ip(c) };
        await skills.switch(person, { name, scope: 'me', isOn: body.enabled });
      }
      return c.json(presentSkillDetail(await skills.detailOf(c.var.user.id, name)));
    },
  });

  routes.add({
    method: 'delete',
    path: MEMBER,
    tag,
    operationId: 'deleteSkill',
    errors: REFUSALS,
    summary: 'Delete a custom skill; its history can take that back',
    answers: { 200: { description: 'It is gone', schema: z.object({ success: z.literal(true) }) } },
    handle: async (c) => {
      await skills.editor.remove(authorOf(c, parts), skillName(c));
      return c.json({ success: true });
    },
  });
}

function mountFiles(routes: RouteTable, parts: SkillEditRouteParts): void {
  const { skills } = parts;
  routes.add({
    method: 'get',
    path: FILE,
    rest: 'path',
    tag,
    operationId: 'readSkillFile',
    errors: ['not_found', 'payload_too_large'],
    summary: 'A file of a skill: texts as plain text, all others to be saved',
    answers: {
      200: {
        description: 'The file',
        schema: z.string().meta({ format: 'binary' }),
        contentType: 'application/octet-stream',
      },
    },
    handle: async (c) => {
      const { bytes } = await skills.readFile(c.var.user.id, skillName(c), c.req.param('path') ?? '');
      const isText = !bytes.subarray(0, 8_192).includes(0);
      c.header('Content-Type', isText ? `${TEXT}; charset=utf-8` : 'application/octet-stream');
      c.header('Content-Disposition', isText ? 'inline' : 'attachment');
      c.header('Content-Security-Policy', SEALED);
      return c.body(bytes);
    },
  });

  routes.add<undefined, z.output<typeof confirmQuery>>({
    method: 'put',
    path: FILE,
    rest: 'path',
    tag,
    operationId: 'writeSkillFile',
    errors: REFUSALS,
    summary: 'Write a text of a custom skill: SKILL.md, or below references, templates, scripts or assets',
    body: { kind: 'stream', contentType: TEXT },
    query: confirmQuery,
    answers: changedAnswers,
    handle: async (c, { query }) => {
      const file = { path: c.req.param('path') ?? '', content: await readContent(c) };
      const outcome = await skills.editor.write(authorOf(c, parts, query), skillName(c), file);
      return answered(c, skills, { outcome, status: 200 });
    },
  });

  routes.add({
    method: 'delete',
    path: FILE,
    rest: 'path',
    tag,
    operationId: 'deleteSkillFile',
    errors: [...REFUSALS, 'invalid'],
    summary: 'Remove a file of a custom skill',
    answers: { 200: { description: 'The skill', schema: skillDetailSchema } },
    handle: async (c) => {
      const name = skillName(c);
      await skills.editor.removeFile(authorOf(c, parts), name, c.req.param('path') ?? '');
      return c.json(presentSkillDetail(await skills.detailOf(c.var.user.id, name)));
    },
  });
}

function mountHistory(routes: RouteTable, parts: SkillEditRouteParts): void {
  const { skills } = parts;
  routes.add({
    method: 'get',
    path: `${MEMBER}/history`,
    tag,
    operationId: 'listSkillHistory',
    errors: ['not_found'],
    summary: 'What was changed in a custom skill, also after it was deleted; the newest change last',
    answers: {
      200: { description: 'The last hundred', schema: z.object({ history: z.array(skillChangeSchema) }) },
    },
    handle: async (c) => {
      const changes = await skills.editor.history(c.var.user.id, skillName(c));
      return c.json({ history: changes.map(presentSkillChange) });
    },
  });

  routes.add<z.output<typeof rollbackBody>>({
    method: 'post',
    path: `${MEMBER}/rollback`,
    tag,
    operationId: 'rollbackSkill',
    errors: REFUSALS,
    summary: 'Put back what a change replaced, removed or deleted',
    body: { kind: 'json', schema: rollbackBody, optional: true },
    answers: changedAnswers,
    handle: async (c, { body }) => {
      const outcome = await skills.editor.rollback(
        authorOf(c, parts, body),
        skillName(c),
        body.history_index,
      );
      return answered(c, skills, { outcome, status: 200 });
    },
  });
}

interface Answered {
  readonly outcome: EditOutcome;
  readonly status: 200 | 201;
}

async function answered(c: AppContext, skills: Skills, { outcome, status }: Answered): Promise<Response> {
  if (outcome.kind === 'blocked') return c.json(presentBlocked(outcome.findings), 422);
  return c.json(presentSkillDetail(await skills.detailOf(c.var.user.id, outcome.name)), status);
}

function authorOf(
  c: AppContext,
  { clients }: SkillEditRouteParts,
  { confirm }: { readonly confirm: boolean } = { confirm: false },
): SkillAuthor {
  const { id, systemRole } = c.var.user;
  const isConfirmed = confirm && systemRole === 'admin';
  return { userId: id, author: 'human', threadId: null, clientIp: clients.ip(c), isConfirmed };
}

function skillName(c: AppContext): string {
  return c.req.param('skill_name') ?? '';
}

/** The body as a text of limited size. */
async function readContent(c: AppContext): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of c.req.raw.body ?? []) {
    size += piece.length;
    if (size > MAX_TEXT_BYTES)
      throw new ServiceError('payload_too_large', `The text is larger than ${MAX_TEXT_BYTES / 1_024} KiB.`);
    pieces.push(piece);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(pieces));
  } catch (cause) {
    throw new ServiceError('invalid', 'The text is not in UTF-8.', { cause });
  }
}
