// `audit verify` and `audit list`: check and list the audit log.
import type { AuditAnchor, AuditQuery, AuditRecord } from '../storage/audit-log.ts';
import type { Storage } from '../storage/storage.ts';
import { type CommandContext, counted, type ExitCode } from './command.ts';
import { withStorage } from './with-storage.ts';

/** Verifies the audit log. `anchor` is an earlier end of it from the service's log, as `<number>:<hash>`. */
export async function auditVerify(context: CommandContext, anchor?: string): Promise<ExitCode> {
  const { print } = context;
  const known = anchor === undefined ? undefined : parseAnchor(anchor);
  if (anchor !== undefined && known === undefined) {
    print(
      `'${anchor}' is not an anchor. An anchor looks like 120:Zm9v..., as in the line "the audit log ends here".`,
    );
    return 1;
  }
  return withStorage(context, async ({ audit }) => {
    const verdict = await audit.verify(known);
    if (verdict.kind === 'broken') {
      print(`Row ${verdict.number} of the audit log is broken. ${verdict.why}`);
      print(`${counted(verdict.number - 1, 'row')} before it: whole.`);
      return 1;
    }
    const { number, hash } = verdict.head;
    print(`The audit log is whole: ${counted(number, 'row')}.`);
    if (number > 0) print(`It ends at ${number}:${hash}`);
    return 0;
  });
}

function parseAnchor(text: string): AuditAnchor | undefined {
  const [, number, hash] = /^(\d{1,15}):([\w-]{43})$/.exec(text.trim()) ?? [];
  return number === undefined || hash === undefined ? undefined : { number: Number(number), hash };
}

export interface AuditListOptions {
  /** A date or a time in ISO 8601. */
  readonly since?: string | undefined;
  /** The acting account, by id or e-mail. */
  readonly user?: string | undefined;
}

const PAGE = 200;

/** Prints the entries, newest first, one per line. */
export async function auditList(context: CommandContext, options: AuditListOptions): Promise<ExitCode> {
  const { print } = context;
  const since = options.since === undefined ? undefined : Date.parse(options.since);
  if (since !== undefined && Number.isNaN(since)) {
    print(`'${options.since}' is no time. It looks like 2026-11-20 or 2026-11-20T18:30:00Z.`);
    return 1;
  }
  return withStorage(context, async (storage) => {
    const actor = options.user === undefined ? undefined : await idOf(storage, options.user);
    const query = {
      limit: PAGE,
      ...(since !== undefined && { since }),
      ...(actor !== undefined && { actor }),
    };
    for await (const entry of entriesOf(storage, query)) print(lineOf(entry));
    return 0;
  });
}

async function idOf({ users }: Storage, user: string): Promise<string> {
  return user.includes('@') ? ((await users.findByEmail(user))?.id ?? user) : user;
}

async function* entriesOf({ audit }: Storage, query: AuditQuery): AsyncGenerator<AuditRecord> {
  let page = await audit.list(query);
  for (;;) {
    yield* page.entries;
    const last = page.entries.at(-1);
    if (!page.hasMore || last === undefined) return;
    page = await audit.list({ ...query, before: last.number });
  }
}

function lineOf({ number, at, act, actor, clientIp, subject, details }: AuditRecord): string {
  const fields = [
    number,
    new Date(at).toISOString(),
    act,
    `by ${actor ?? '-'}`,
    `from ${clientIp ?? '-'}`,
    `on ${subject ?? '-'}`,
  ];
  const text = JSON.stringify(details);
  return text === '{}' ? fields.join('  ') : [...fields, text].join('  ');
}
