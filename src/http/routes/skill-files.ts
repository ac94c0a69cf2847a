// The files of a skill. All its users may read them, and its owner may write and remove them.
import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import { invalid } from '../../errors.ts';
import type { ExpectedVersion } from '../../skills/file-stamp.ts';
import { MAX_TEXT_BYTES } from '../../skills/skill-text.ts';
import type { Skills } from '../../skills/skills.ts';
import type { AppContext } from '../api/context.ts';
import { queryBoolean } from '../api/query-list.ts';
import { readBytes } from '../api/read-request.ts';
import { pathParam } from '../api/route-access.ts';
import { ok, okBytes, type RouteTable } from '../api/route-table.ts';
import { presentSkillDetail, skillDetailSchema } from '../presenters/skill.ts';
import { answered, authorOf, changedResponses, REFUSALS, SKILL, skillName } from './skill-requests.ts';

const FILE = `${SKILL}/files/{path}`;
const TEXT = 'text/plain';
/** Isolates files from this origin, so that none can act. */
const SEALED = "sandbox; default-src 'none'";

const confirmQuery = z.object({
  confirm: queryBoolean()
    .default(false)
    .describe('An administrator has reviewed the critical findings of the scan'),
});
const CONDITIONAL = [...REFUSALS, 'precondition_failed'] as const;

export function mountSkillFiles(routes: RouteTable, skills: Skills): void {
  mountRead(routes, skills);
  mountChanges(routes, skills);
}

function mountRead(routes: RouteTable, skills: Skills): void {
  routes.get(FILE, {
    rest: 'path',
    operationId: 'readSkillFile',
    errors: ['not_found', 'payload_too_large'],
    summary:
      'A file of a skill: text as plain text, anything else as a download; use its `ETag` in `If-Match`',
    responses: okBytes('The file'),
    handle: async (c) => {
      const { bytes, version } = await skills.readFile(c.var.user.id, skillName(c), pathParam(c, 'path'));
      const isText = !bytes.subarray(0, 8_192).includes(0);
      c.header('ETag', `"${version}"`);
      c.header('Cache-Control', 'private, no-cache');
      c.header('Content-Type', isText ? `${TEXT}; charset=utf-8` : 'application/octet-stream');
      c.header('Content-Disposition', isText ? 'inline' : 'attachment');
      c.header('Content-Security-Policy', SEALED);
      return c.body(bytes);
    },
  });
}

function mountChanges(routes: RouteTable, skills: Skills): void {
  routes.put(FILE, {
    rest: 'path',
    operationId: 'writeSkillFile',
    errors: CONDITIONAL,
    headers: ['If-Match'],
    summary: 'Write a text of a custom skill: SKILL.md, or below references, templates, scripts or assets',
    body: { kind: 'stream', contentType: TEXT },
    query: confirmQuery,
    responses: changedResponses,
    handle: async (c, { query }) => {
      const expected = expectedVersion(c);
      const file = { path: pathParam(c, 'path'), content: await readContent(c), expected };
      const outcome = await skills.editor.write(authorOf(c, query), skillName(c), file);
      if (outcome.kind === 'done' && outcome.version !== undefined) c.header('ETag', `"${outcome.version}"`);
      return answered(c, skills, { outcome, status: 200 });
    },
  });
  routes.delete(FILE, {
    rest: 'path',
    operationId: 'deleteSkillFile',
    errors: [...CONDITIONAL, 'invalid'],
    headers: ['If-Match'],
    summary: 'Remove a file of a custom skill',
    responses: ok('The skill', skillDetailSchema),
    handle: async (c) => {
      const name = skillName(c);
      const file = { path: pathParam(c, 'path'), expected: expectedVersion(c) };
      await skills.editor.removeFile(authorOf(c), name, file);
      return c.json(presentSkillDetail(await skills.detailOf(c.var.user.id, name)));
    },
  });
}

/** Returns the versions in `If-Match`. A weak or malformed tag matches nothing. */
function expectedVersion(c: AppContext): ExpectedVersion | undefined {
  const header = c.req.header('if-match')?.trim();
  if (header === undefined || header === '*') return header;
  return header.split(',').flatMap((tag) => /^"([^"]*)"$/.exec(tag.trim())?.[1] ?? []);
}

/** Returns the body as text of limited size. */
async function readContent(c: AppContext): Promise<string> {
  const bytes = await readBytes(c, MAX_TEXT_BYTES);
  if (!isUtf8(bytes)) throw invalid('The text is not UTF-8.');
  return Buffer.from(bytes).toString();
}
