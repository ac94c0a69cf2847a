// The document of all tool servers: converts what a person wrote to usable entries, all of them or none.
import { invalid, ServiceError, type ValidationIssue, validationFailed } from '../../errors.ts';
import type { McpOptions } from '../mcp-options.ts';
import { entryProblem } from './entry-rules.ts';
import { unmaskedEntry } from './masked-entry.ts';
import { type EntryFields, isFields } from './secret-places.ts';
import { type McpServerEntry, serverEntrySchema, serverNameSchema, withType } from './server-entry.ts';

/** Servers by their names, as they are written. */
export type ServerEntries = ReadonlyMap<string, EntryFields>;

/** The same, of a request: anything may stand for an entry. */
export type SentEntries = ReadonlyMap<string, unknown>;

type DocumentOptions = Pick<McpOptions, 'stdio_commands' | 'max_servers'>;

const MAX_ISSUES = 20;
const MAX_ENTRY_CHARACTERS = 65_536;

/**
 * What is stored when `sent` takes the place of `stored`: masks are filled in, and switches of tools that are not
 * mentioned stay. Throws `validation_failed` for a wrong shape and `invalid` for what may not be used.
 */
export function replacedEntries(
  sent: SentEntries,
  stored: ServerEntries,
  options: DocumentOptions,
): ServerEntries {
  const names = [...sent.keys()];
  if (names.length > options.max_servers)
    throw validationFailed(
      ['body', 'mcpServers'],
      `There may be ${options.max_servers} servers at most (mcp.max_servers of the configuration file).`,
    );
  requireNames(names);
  const entries = [...sent].map(([name, entry]) => [name, sizedEntry(name, entry)] as const);
  return new Map(
    entries.map(([name, entry]) => [
      name,
      acceptedEntry(name, { sent: entry, stored: stored.get(name) }, options),
    ]),
  );
}

/** Throws `validation_failed` for the first ones that cannot be the name of a server. */
function requireNames(names: readonly string[]): void {
  const folded = new Set<string>();
  for (const name of names) {
    const { error } = serverNameSchema.safeParse(name);
    if (error !== undefined)
      throw validationFailed(
        ['body', 'mcpServers', name],
        `The name of a server ${error.issues[0]?.message}.`,
      );
    // Its files and the names of its tools would meet.
    if (folded.has(name.toLowerCase()))
      throw validationFailed(['body', 'mcpServers', name], 'Two servers differ in capital letters only.');
    folded.add(name.toLowerCase());
  }
}

function sizedEntry(name: string, entry: unknown): EntryFields {
  if (!isFields(entry))
    throw validationFailed(['body', 'mcpServers', name], 'The entry of a server is an object.');
  if (JSON.stringify(entry).length <= MAX_ENTRY_CHARACTERS) return entry;
  throw new ServiceError(
    'payload_too_large',
    `Tool server '${name}': an entry has at most ${MAX_ENTRY_CHARACTERS} characters as JSON.`,
  );
}

function acceptedEntry(
  name: string,
  entry: { readonly sent: EntryFields; readonly stored: EntryFields | undefined },
  options: DocumentOptions,
): EntryFields {
  const { sent, stored } = entry;
  const complete = unmaskedEntry(name, sent, stored);
  const fields =
    complete.tools === undefined && stored?.tools !== undefined
      ? { ...complete, tools: stored.tools }
      : complete;
  const parsed = serverEntrySchema.safeParse(withType(fields));
  if (!parsed.success) throw wrongShape(name, parsed.error.issues);
  // What is switched off is not used; switching it on is judged again.
  const problem = parsed.data.enabled ? entryProblem(parsed.data, options) : undefined;
  if (problem !== undefined) throw invalid(`Tool server '${name}': ${problem}`);
  return fields;
}

interface WrongField {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly code: string;
}

function wrongShape(name: string, issues: readonly WrongField[]): ServiceError {
  const problems = issues.slice(0, MAX_ISSUES).map(
    ({ path, message, code }): ValidationIssue => ({
      loc: ['body', 'mcpServers', name, ...path.map((key) => (typeof key === 'symbol' ? String(key) : key))],
      msg: message,
      type: code === 'custom' ? 'value_error' : code,
    }),
  );
  return new ServiceError('validation_failed', 'The request is not valid.', { issues: problems });
}

/** An entry of a file that somebody may have written by hand. */
export type ReadEntry =
  | { readonly kind: 'usable'; readonly entry: McpServerEntry }
  | { readonly kind: 'wrong'; readonly problem: string };

/** Judged as a written one is, except that one wrong entry says nothing about the others. */
export function readEntry(name: string, fields: unknown, options: DocumentOptions): ReadEntry {
  if (!serverNameSchema.safeParse(name).success)
    return { kind: 'wrong', problem: 'its name is not allowed.' };
  const parsed = serverEntrySchema.safeParse(withType(fields));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return { kind: 'wrong', problem: `${issue?.path.join('.')}: ${issue?.message}` };
  }
  const problem = parsed.data.enabled ? entryProblem(parsed.data, options) : undefined;
  return problem === undefined ? { kind: 'usable', entry: parsed.data } : { kind: 'wrong', problem };
}
