// The document of all tool servers: converts what a person wrote to usable entries, all of them or none.

import type { z } from 'zod';
import { invalid, ServiceError, type ValidationIssue, validationFailed } from '../../errors.ts';
import { isFields } from '../../json/unknown-json.ts';
import type { McpOptions } from '../mcp-options.ts';
import { entryProblem } from './entry-rules.ts';
import { unmaskedEntry } from './masked-entry.ts';
import type { EntryFields } from './secret-places.ts';
import { type McpServerEntry, serverEntrySchema, serverNameSchema, withType } from './server-entry.ts';

/** Servers by name, as they are written. */
export type ServerEntries = ReadonlyMap<string, EntryFields>;

/** The same, from a request: an entry may be anything. */
export type SentEntries = ReadonlyMap<string, unknown>;

type DocumentOptions = Pick<McpOptions, 'stdio_commands' | 'max_servers'>;

const MAX_ISSUES = 20;
const MAX_ENTRY_CHARACTERS = 65_536;

/**
 * Returns what is stored when `sent` replaces `stored`: masks are filled in, and switches of tools that are
 * not mentioned stay. Throws `validation_failed` for a wrong shape and `invalid` for an entry that may not be
 * used.
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
      `At most ${options.max_servers} servers are allowed (mcp.max_servers in the configuration file).`,
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

/** Throws `validation_failed` for the first name that a server cannot have. */
function requireNames(names: readonly string[]): void {
  const folded = new Set<string>();
  for (const name of names) {
    const { error } = serverNameSchema.safeParse(name);
    if (error !== undefined) throw refused(name, `The name of a server ${error.issues[0]?.message}.`);
    // Their files and the names of their tools would collide.
    if (folded.has(name.toLowerCase()))
      throw refused(name, 'Two server names differ only in capital letters.');
    folded.add(name.toLowerCase());
  }
}

function refused(name: string, sentence: string): ServiceError {
  return validationFailed(['body', 'mcpServers', name], sentence);
}

function sizedEntry(name: string, entry: unknown): EntryFields {
  if (!isFields(entry)) throw refused(name, 'The entry of a server must be an object.');
  if (JSON.stringify(entry).length <= MAX_ENTRY_CHARACTERS) return entry;
  throw new ServiceError(
    'payload_too_large',
    `Tool server '${name}': its entry is longer than ${MAX_ENTRY_CHARACTERS} characters of JSON.`,
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
  const problem = entryProblem(parsed.data, options);
  if (problem !== undefined) throw invalid(`Tool server '${name}': ${problem}`);
  return fields;
}

function wrongShape(name: string, issues: readonly z.core.$ZodIssue[]): ServiceError {
  const problems = issues.slice(0, MAX_ISSUES).map(
    ({ path, message, code }): ValidationIssue => ({
      loc: ['body', 'mcpServers', name, ...path.map((key) => (typeof key === 'symbol' ? String(key) : key))],
      msg: message,
      type: code === 'custom' ? 'value_error' : code,
    }),
  );
  return new ServiceError('validation_failed', 'The request is not valid.', { issues: problems });
}

/** An entry of a file that may have been written by hand. */
export type ReadEntry =
  | { readonly kind: 'usable'; readonly entry: McpServerEntry }
  | { readonly kind: 'wrong'; readonly problem: string };

/** Checks an entry as a write does, except that one wrong entry does not affect the others. */
export function readEntry(name: string, fields: unknown, options: DocumentOptions): ReadEntry {
  if (!serverNameSchema.safeParse(name).success)
    return { kind: 'wrong', problem: 'its name is not allowed.' };
  const parsed = serverEntrySchema.safeParse(withType(fields));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return { kind: 'wrong', problem: `${issue?.path.join('.')}: ${issue?.message}` };
  }
  const problem = entryProblem(parsed.data, options);
  return problem === undefined ? { kind: 'usable', entry: parsed.data } : { kind: 'wrong', problem };
}
