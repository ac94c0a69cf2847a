// Packages: a thread or the whole account as a zip, out and in (docs/decisions/0027-packages.md).
import { Readable } from 'node:stream';
import { z } from 'zod';
import { notFound } from '../../errors.ts';
import type { ExportService } from '../../transfer/export-service.ts';
import type { ImportRequest, ImportService, ImportSummary } from '../../transfer/import-service.ts';
import { requireRecentPassword } from '../access/own-session.ts';
import type { Clients } from '../api/clients.ts';
import type { AppContext } from '../api/context.ts';
import type { MountClientRoutes, RouteTable } from '../api/route-table.ts';

interface TransferRouteParts {
  readonly exports: ExportService;
  readonly imports: ImportService;
  readonly now: () => number;
  readonly clients: Clients;
}

const ZIP = 'application/zip';
const zipResponse = (description: string) => ({
  200: { description, schema: z.string().meta({ format: 'binary' }), contentType: ZIP },
});
const leftOut = z.array(z.object({ name: z.string(), reason: z.string() }));
const importedSchema = z.object({
  threads: z.array(z.object({ source_thread_id: z.string(), thread_id: z.string() })),
  runs: z.int(),
  checkpoints: z.int(),
  events: z.int(),
  feedback: z.int(),
  files: z.int(),
  items: z.int().meta({ description: 'Of the store: those that the account did not have' }),
  agents: z.array(z.string()).meta({ description: 'Agents of an account that are there now' }),
  agents_left_out: leftOut.meta({
    description: 'Those that you have already, and models of agents that this service does not have',
  }),
  memory_facts: z.int().meta({ description: 'Facts that agents of the account did not remember' }),
  memory_left_out: leftOut.meta({ description: 'By agent: memories for which there was no room' }),
  schedules: z.array(z.string()).meta({ description: 'Schedules of an account, which arrive paused' }),
  schedules_left_out: leftOut.meta({
    description: 'Those that you have already, and threads and models that are not here',
  }),
  skills: z.array(z.string()).meta({ description: 'Custom skills of an account that are there now' }),
  skills_left_out: leftOut.meta({
    description: 'Those that could not be brought in, such as one that you have already',
  }),
});

export function transferRoutes({
  exports,
  imports,
  now,
}: Omit<TransferRouteParts, 'clients'>): MountClientRoutes {
  return (routes, clients) => {
    const parts = { exports, imports, now, clients };
    mountExports(routes, parts);
    mountImport(routes, parts, { what: 'thread', path: '/api/threads/import' });
    mountImport(routes, parts, { what: 'account', path: '/api/account/import' });
  };
}

function mountExports(routes: RouteTable, { exports, clients, now }: TransferRouteParts): void {
  routes.add({
    method: 'get',
    path: '/api/threads/{thread_id}/export',
    operationId: 'exportThread',
    summary: 'The thread with its runs, history, record and files as a zip',
    thread: 'read',
    responses: zipResponse('The zip; a run that has not ended is left out'),
    handle: async (c) => {
      const { threadId } = c.var.thread;
      const asked = { ...c.var, actor: c.var.user.id, clientIp: clients.ip(c) };
      const zip = await exports.thread(asked, threadId);
      if (zip === undefined) throw notFound('Thread');
      return download(c, zip, `thread-${threadId}.zip`);
    },
  });

  routes.add({
    method: 'get',
    path: '/api/account/export',
    operationId: 'exportAccount',
    errors: ['password_required'],
    summary:
      'All threads, agents, memory, schedules and custom skills of the account with everything that belongs to them as a zip. A session needs the password within ten minutes',
    responses: zipResponse('The zip; runs that have not ended are left out'),
    handle: async (c) => {
      requireRecentPassword(c, now);
      const day = new Date(now()).toISOString().slice(0, 10);
      const asked = { ...c.var, actor: c.var.user.id, clientIp: clients.ip(c) };
      const zip = await exports.account(asked);
      return download(c, zip, `account-${day}.zip`);
    },
  });
}

function mountImport(
  routes: RouteTable,
  { imports, clients }: TransferRouteParts,
  { what, path }: Pick<ImportRequest, 'what'> & { readonly path: string },
): void {
  routes.add({
    method: 'post',
    path,
    operationId: what === 'thread' ? 'importThread' : 'importAccount',
    errors: ['invalid', 'payload_too_large', 'too_many_attempts', 'insufficient_storage', 'conflict'],
    summary:
      what === 'thread'
        ? 'Bring in the zip of one thread'
        : 'Bring in all threads of a zip, its items of the store, its agents, what they remember, its schedules, and its custom skills',
    body: { kind: 'stream', contentType: ZIP },
    responses: { 200: { description: 'What was imported: all of it, or nothing', schema: importedSchema } },
    handle: async (c) => {
      const { id } = c.var.user;
      const asked = { userId: id, actor: id, clientIp: clients.ip(c) };
      const pieces = c.req.raw.body ?? Readable.from([]);
      return c.json(presentImport(await imports.bringIn({ ...asked, what, pieces })));
    },
  });
}

/** The client that goes away ends the reading; `Readable.toWeb` takes no more than it asks for. */
function download(c: AppContext, zip: Readable, name: string): Response {
  c.header('Content-Type', ZIP);
  c.header('Content-Disposition', `attachment; filename="${name}"`);
  c.header('Cache-Control', 'no-store');
  return c.body(Readable.toWeb(zip));
}

function presentImport({
  threads,
  agents,
  memory,
  schedules,
  skills,
  ...counts
}: ImportSummary): z.output<typeof importedSchema> {
  const { runs, checkpoints, events, feedback, files, items } = counts;
  return {
    threads: threads.map(({ sourceId, threadId }) => ({ source_thread_id: sourceId, thread_id: threadId })),
    runs,
    checkpoints,
    events,
    feedback,
    files,
    items,
    agents: agents.added.map(({ name }) => name),
    agents_left_out: [...agents.leftOut],
    memory_facts: memory.added.reduce((sum, { count }) => sum + count, 0),
    memory_left_out: [...memory.leftOut],
    schedules: schedules.added.map(({ name }) => name),
    schedules_left_out: [...schedules.leftOut],
    skills: [...skills.added],
    skills_left_out: [...skills.leftOut],
  };
}
