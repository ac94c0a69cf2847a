// Packages: export and import of a thread or the whole account as a zip (docs/decisions/0027-packages.md).
import { Readable } from 'node:stream';
import { z } from 'zod';
import { notFound } from '../../errors.ts';
import type { Transfer } from '../../transfer/create-transfer.ts';
import type { ImportRequest, ImportSummary } from '../../transfer/import-service.ts';
import { requireRecentPassword } from '../access/own-session.ts';
import type { AppContext } from '../api/context.ts';
import { ok, okBytes, type RouteTable } from '../api/route-table.ts';
import { presenterOf } from '../presenters/presenter-of.ts';

interface TransferRouteParts extends Pick<Transfer, 'exports' | 'imports'> {
  readonly now: () => number;
}

const ZIP = 'application/zip';
const leftOut = z.array(z.object({ name: z.string(), reason: z.string() }));
const importedSchema = z.object({
  threads: z.array(z.object({ source_thread_id: z.string(), thread_id: z.string() })),
  runs: z.int(),
  checkpoints: z.int(),
  events: z.int(),
  feedback: z.int(),
  files: z.int(),
  items: z.int().meta({ description: 'Store items that the account did not have' }),
  agents: z.array(z.string()).meta({ description: 'Imported agents of an account' }),
  agents_left_out: leftOut.meta({
    description: 'Agents that you already have, and models that this service does not have',
  }),
  memory_facts: z.int().meta({ description: 'Imported facts that agents of the account did not know' }),
  memory_left_out: leftOut.meta({ description: 'By agent: facts for which the memory had no space' }),
  schedules: z
    .array(z.string())
    .meta({ description: 'Imported schedules of an account, which start paused' }),
  schedules_left_out: leftOut.meta({
    description: 'Schedules that you already have, and threads and models that do not exist here',
  }),
  skills: z.array(z.string()).meta({ description: 'Imported custom skills of an account' }),
  skills_left_out: leftOut.meta({
    description: 'Skills that could not be imported, such as one that you already have',
  }),
});

export function transferRoutes(routes: RouteTable, parts: TransferRouteParts): void {
  mountExports(routes, parts);
  mountImport(routes, parts, { what: 'thread', path: '/api/threads/import' });
  mountImport(routes, parts, { what: 'account', path: '/api/account/import' });
}

function mountExports(routes: RouteTable, { exports, now }: TransferRouteParts): void {
  routes.get('/api/threads/{thread_id}/export', {
    operationId: 'exportThread',
    summary: 'Export the thread with its runs, history, record and files as a zip',
    thread: 'read',
    responses: okBytes('The zip; an active run is left out', ZIP),
    handle: async (c) => {
      const { threadId } = c.var.thread;
      const asked = { ...c.var, actor: c.var.user.id, clientIp: c.var.client.ip };
      const zip = await exports.thread(asked, threadId);
      if (zip === undefined) throw notFound('Thread');
      return download(c, zip, `thread-${threadId}.zip`);
    },
  });

  routes.get('/api/account/export', {
    operationId: 'exportAccount',
    errors: ['password_required'],
    summary:
      'Export all threads, agents, memory, schedules and custom skills of the account as a zip. A session needs a password confirmation within the last ten minutes',
    responses: okBytes('The zip; active runs are left out', ZIP),
    handle: async (c) => {
      requireRecentPassword(c, now);
      const day = new Date(now()).toISOString().slice(0, 10);
      const asked = { ...c.var, actor: c.var.user.id, clientIp: c.var.client.ip };
      const zip = await exports.account(asked);
      return download(c, zip, `account-${day}.zip`);
    },
  });
}

function mountImport(
  routes: RouteTable,
  { imports }: TransferRouteParts,
  { what, path }: Pick<ImportRequest, 'what'> & { readonly path: string },
): void {
  routes.post(path, {
    operationId: what === 'thread' ? 'importThread' : 'importAccount',
    errors: ['invalid', 'payload_too_large', 'too_many_attempts', 'insufficient_storage', 'conflict'],
    summary:
      what === 'thread'
        ? 'Import the zip of one thread'
        : 'Bring in all threads of a zip, its items of the store, its agents, what they remember, its schedules, and its custom skills',
    body: { kind: 'stream', contentType: ZIP },
    responses: ok('What was imported: all of it, or nothing', importedSchema),
    handle: async (c) => {
      const { id } = c.var.user;
      const asked = { userId: id, actor: id, clientIp: c.var.client.ip };
      const pieces = c.req.raw.body ?? Readable.from([]);
      return c.json(presentImport(await imports.bringIn({ ...asked, what, pieces })));
    },
  });
}

/** Responds with the zip, which is read only as requested. A client that leaves ends the reading. */
function download(c: AppContext, zip: Readable, name: string): Response {
  c.header('Content-Type', ZIP);
  c.header('Content-Disposition', `attachment; filename="${name}"`);
  c.header('Cache-Control', 'no-store');
  return c.body(Readable.toWeb(zip));
}

const present = presenterOf(importedSchema);

function presentImport(summary: ImportSummary): z.output<typeof importedSchema> {
  const { threads, agents, memory, schedules, skills } = summary;
  return present({
    ...summary,
    threads: threads.map(({ sourceId, threadId }) => ({ source_thread_id: sourceId, thread_id: threadId })),
    agents: agents.added.map(({ name }) => name),
    agentsLeftOut: agents.leftOut,
    memoryFacts: memory.added.reduce((sum, { count }) => sum + count, 0),
    memoryLeftOut: memory.leftOut,
    schedules: schedules.added.map(({ name }) => name),
    schedulesLeftOut: schedules.leftOut,
    skills: skills.added,
    skillsLeftOut: skills.leftOut,
  });
}
