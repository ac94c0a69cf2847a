// Exports one thread or a whole account as a package, written while the client reads it.
import type { Readable } from 'node:stream';
import type { Log } from '../log.ts';
import { type AccountSkills, LINE_PARTS, type LineParts } from '../storage/account-packages.ts';
import type { AuditLog } from '../storage/audit-log.ts';
import type { Repositories } from '../storage/storage.ts';
import type { StoreItem } from '../storage/store-items.ts';
import type { ThreadCut } from '../storage/thread-packages.ts';
import type { UserRecord } from '../storage/users.ts';
import type { WorkspaceFilesOf } from '../workspace/workspace-files.ts';
import {
  FORMAT_VERSION,
  fileEntry,
  linesEntry,
  MANIFEST,
  type Manifest,
  PACKAGE_FORMAT,
  PROFILE,
  SKILLS,
  STORE,
  skillEntry,
  threadEntry,
  USAGE,
} from './package-format.ts';
import { jsonLine } from './package-text.ts';
import { createPackageWriter, type PackageWriter } from './package-writer.ts';
import { iso, isoOrNull, type LineCounts, threadLines } from './thread-lines.ts';

interface ExportRequest {
  readonly user: UserRecord;
  /** Bound to the user. */
  readonly repositories: Repositories;
  /** For the audit log: the requesting user, `null` for the operator, and the client's address. */
  readonly actor: string | null;
  readonly clientIp: string | null;
  /** Called after each thread with the number of threads so far. */
  readonly onThread?: (added: number) => void;
}

export type ExportService = ReturnType<typeof createExportService>;

interface ExportServiceParts {
  readonly workspace: WorkspaceFilesOf;
  readonly skills: AccountSkills;
  readonly lines: LineParts;
  readonly audit: AuditLog;
  readonly serviceVersion: string;
  readonly log: Log;
  readonly now: () => number;
}

const THREADS_AT_ONCE = 100;
const ITEMS_AT_ONCE = 50;

/** A reader that stops early must destroy the zip. The audit log has every export that was started. */
export function createExportService(parts: ExportServiceParts) {
  const { audit, log } = parts;
  const written = (kind: Manifest['kind'], work: (contents: Contents) => Promise<void>): Readable => {
    const contents = createContents(parts, kind);
    const { output } = contents.writer;
    output.on('error', () => {});
    work(contents)
      .then(() => finish(contents))
      .catch((error: unknown) => {
        if (output.destroyed) return;
        log.warn({ err: error }, 'an export was interrupted');
        output.destroy(error instanceof Error ? error : new Error('the export was interrupted'));
      });
    return output;
  };
  const audited = ({ actor, clientIp }: ExportRequest, subject: string) =>
    audit.append({ act: 'export', actor, clientIp, subject });
  return {
    /** Returns the zip of one thread that the user sees, or `undefined` when there is none. */
    async thread(request: ExportRequest, threadId: string): Promise<Readable | undefined> {
      const { repositories } = request;
      const cut = await repositories.threadExports.cut(threadId);
      if (cut === undefined) return undefined;
      await audited(request, threadId);
      return written('thread', (contents) => addThread(contents, repositories, cut));
    },
    /** Returns the zip of all threads of the account, with its profile but without credentials. */
    async account(request: ExportRequest): Promise<Readable> {
      const { repositories, user, onThread } = request;
      await audited(request, user.id);
      return written('account', async (contents) => {
        await addEntry(contents, PROFILE, textOf(profileOf(user)));
        await addEntry(contents, USAGE, jsonLines(usageLines(repositories)));
        await addLines(contents, STORE, storeLines(repositories, contents.now));
        await addSkills(contents, parts.skills, user.id);
        for (const part of LINE_PARTS)
          await addLines(contents, linesEntry(part), parts.lines[part].lines(user.id));
        for await (const threadId of ownThreads(repositories)) {
          const cut = await repositories.threadExports.cut(threadId);
          if (cut === undefined) continue;
          await addThread(contents, repositories, cut);
          onThread?.(contents.manifest.counts.threads);
        }
      });
    },
  };
}

interface Contents {
  readonly writer: PackageWriter;
  readonly workspace: WorkspaceFilesOf;
  readonly now: () => number;
  readonly manifest: Manifest;
}

function createContents(
  { workspace, serviceVersion, now }: ExportServiceParts,
  kind: Manifest['kind'],
): Contents {
  return {
    writer: createPackageWriter(now),
    workspace,
    now,
    manifest: {
      format: PACKAGE_FORMAT,
      format_version: FORMAT_VERSION,
      service_version: serviceVersion,
      kind,
      created_at: iso(now()),
      counts: { threads: 0, runs: 0, checkpoints: 0, events: 0, feedback: 0, files: 0 },
      runs_left_out: 0,
      threads_left_out: [],
      entries: {},
    },
  };
}

async function addThread(contents: Contents, { threadExports }: Repositories, cut: ThreadCut): Promise<void> {
  const { manifest, workspace } = contents;
  const { threadId, userId } = cut.thread;
  const counts = await addEntry(contents, threadEntry(threadId), threadLines(cut));
  count(manifest.counts, counts);
  manifest.runs_left_out += cut.leftOutRuns;
  for await (const file of workspace({ userId, threadId }).contents()) {
    await addEntry(contents, fileEntry(threadId, file.names), file.read());
    manifest.counts.files += 1;
  }
  // If the thread was deleted while it was read, its lines are incomplete.
  if (!(await threadExports.exists(threadId))) manifest.threads_left_out.push(threadId);
}

/** Adds nothing for a person without skills, because earlier releases refuse a package with skills. */
async function addSkills(contents: Contents, skills: AccountSkills, userId: string): Promise<void> {
  const off = await skills.off(userId);
  if (off.length > 0) await addEntry(contents, SKILLS, textOf({ off }));
  for await (const { skill, names, read } of skills.files(userId))
    await addEntry(contents, skillEntry(skill, names), bytesOf(read()));
}

/** Adds no file when there are no lines, because earlier releases refuse a package with such a file. */
async function addLines(contents: Contents, name: string, lines: AsyncGenerator<object>): Promise<void> {
  const first = await lines.next();
  if (first.done !== true) await addEntry(contents, name, jsonLines(lines, first.value));
}

async function* jsonLines(lines: AsyncIterable<object>, first?: object): AsyncGenerator<string, void> {
  if (first !== undefined) yield jsonLine(first);
  for await (const line of lines) yield jsonLine(line);
}

async function* bytesOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  yield* pieces;
}

function count(sums: Manifest['counts'], { runs, checkpoints, events, feedback }: LineCounts): void {
  sums.threads += 1;
  sums.runs += runs;
  sums.checkpoints += checkpoints;
  sums.events += events;
  sums.feedback += feedback;
}

async function addEntry<Result>(
  { writer, manifest }: Contents,
  name: string,
  content: AsyncGenerator<string | Uint8Array, Result>,
): Promise<Result> {
  const { bytes, sha256, result } = await writer.add(name, content);
  manifest.entries[name] = { bytes, sha256 };
  return result;
}

/** Adds the manifest last, because it lists the size and hash of every other entry. */
async function finish({ writer, manifest }: Contents): Promise<void> {
  await writer.add(MANIFEST, textOf(manifest));
  writer.end();
}

async function* textOf(value: object): AsyncGenerator<string, void> {
  yield `${JSON.stringify(value, null, 2)}\n`;
}

/** Yields what the person spent, one line per day and model. */
async function* usageLines({ usage }: Repositories): AsyncGenerator<object> {
  for (const spent of await usage.days({ from: '0000-01-01', to: '9999-12-31' })) {
    yield {
      day: spent.day,
      model: spent.model,
      calls: spent.calls,
      tokens: spent.tokens,
      input_tokens: spent.inputTokens,
      cached_input_tokens: spent.cachedInputTokens,
      output_tokens: spent.outputTokens,
      cost_nanos: spent.cost,
    };
  }
}

/** Yields what programs keep for the person, one item per line. */
async function* storeLines({ storeItems }: Repositories, now: () => number): AsyncGenerator<object> {
  const limit = ITEMS_AT_ONCE;
  const items = paged<StoreItem>(limit, (after) => storeItems.scan({ prefix: [], after, limit, now: now() }));
  for await (const { createdAt, updatedAt, expiresAt, ...item } of items)
    yield {
      ...item,
      created_at: iso(createdAt),
      updated_at: iso(updatedAt),
      expires_at: isoOrNull(expiresAt),
    };
}

function ownThreads({ threadExports }: Repositories): AsyncGenerator<string> {
  return paged(THREADS_AT_ONCE, (after) => threadExports.threadIds(after, THREADS_AT_ONCE));
}

/** Yields the items of all pages. A page with fewer than `limit` items is the last one. */
async function* paged<Item>(
  limit: number,
  pageAfter: (last: Item | undefined) => Promise<readonly Item[]>,
): AsyncGenerator<Item> {
  let page: readonly Item[] = [];
  do {
    page = await pageAfter(page.at(-1));
    yield* page;
  } while (page.length === limit);
}

/** Returns the profile without credentials: no hash, no token version, no id of another service. */
function profileOf({ id, email, systemRole, createdAt }: UserRecord) {
  return { id, email, system_role: systemRole, created_at: iso(createdAt) };
}
