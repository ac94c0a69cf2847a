// The tool servers as currently configured. Changes of the document, here or in its file, need no restart.
import { createHash } from 'node:crypto';
import { ServiceError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { createSerialQueue } from '../../workspace/serial-queue.ts';
import type { McpOptions } from '../mcp-options.ts';
import type { ToolServer, ToolServersOf } from '../tool-server.ts';
import { maskedEntry } from './masked-entry.ts';
import { type EntryFields, mapSecrets } from './secret-places.ts';
import { serverEntrySchema, withType } from './server-entry.ts';
import { readEntry, replacedEntries, type SentEntries, type ServerEntries } from './servers-document.ts';
import { documentVersion, readDocument, writeDocument } from './stored-document.ts';
import { createResolveReference, type Environment, type ResolveReference } from './variable-references.ts';

/** The names of the servers that a new document adds, removes and changes. */
export interface DocumentChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

export type ServerConfigs = ReturnType<typeof createServerConfigs>;

interface ServerConfigParts {
  readonly dataHome: string;
  readonly options: McpOptions;
  readonly environment: Environment;
  /** Variables that configure the service itself. Entries refer to them only where the options list them. */
  readonly ownVariables: readonly string[];
  readonly log: Log;
}

export function createServerConfigs(parts: ServerConfigParts) {
  const { dataHome, options, environment, log } = parts;
  const writes = createSerialQueue();
  const resolve = createResolveReference(environment, {
    names: options.environment,
    own: parts.ownVariables,
  });
  let known: { readonly version: string; readonly servers: ReadonlyMap<string, ToolServer> } | undefined;

  const load: ToolServersOf = async () => {
    const version = await documentVersion(dataHome);
    if (known?.version === version) return known.servers;
    try {
      const reading = await readDocument(dataHome);
      const servers = new Map(
        [...reading.servers].map(([name, fields]) => [
          name,
          resolvedServer(name, fields, { options, resolve }),
        ]),
      );
      known = { version: reading.version, servers };
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      log.error(
        { err: error },
        'the configuration of the tool servers cannot be read; the previous one stays in use',
      );
      known = { version, servers: known?.servers ?? new Map() };
    }
    return known.servers;
  };

  return {
    /**
     * Returns the servers in the order of the document, from memory while the file is the same. While it is
     * broken, the previous ones stay.
     */
    current: load,
    /** Returns every entry with defaults, secrets as `***`. Throws `conflict` for a file of another form. */
    async read(): Promise<ServerEntries> {
      const { servers } = await readDocument(dataHome);
      return new Map([...servers].map(([name, fields]) => [name, shownEntry(fields)]));
    },
    /**
     * Replaces the document; `***` keeps the stored value. Durable when it resolves. Throws `validation_failed`
     * or `invalid` with a sentence, and then writes nothing. `record` is called before a change is made; when
     * it throws, nothing is written either.
     */
    write: (sent: SentEntries, record: (change: DocumentChange) => Promise<void>): Promise<void> =>
      writes.run('document', async () => {
        const before = await readDocument(dataHome);
        const servers = replacedEntries(sent, before.servers, options);
        const change = changeBetween(before.servers, servers);
        if (Object.values(change).every((names) => names.length === 0)) return;
        await record(change);
        await writeDocument(dataHome, { servers, others: before.others });
      }),
  };
}

/** Adds the defaults of missing fields, if the entry has the right shape. */
function shownEntry(fields: EntryFields): EntryFields {
  return maskedEntry(serverEntrySchema.safeParse(withType(fields)).data ?? fields);
}

function resolvedServer(
  name: string,
  fields: EntryFields,
  { options, resolve }: { readonly options: McpOptions; readonly resolve: ResolveReference },
): ToolServer {
  const problems: string[] = [];
  const resolved = mapSecrets(fields, (value, [section]) => {
    const found = resolve(value);
    if ('problem' in found) problems.push(found.problem);
    else return section === 'url' && found.text !== value ? encodeURIComponent(found.text) : found.text;
    return value;
  });
  const read = readEntry(name, resolved, options);
  const version = createHash('sha256').update(JSON.stringify(resolved)).digest('base64url');
  if (read.kind === 'usable') return { name, entry: read.entry, version, problem: problems[0] };
  return { name, entry: serverEntrySchema.parse({}), version, problem: read.problem };
}

function changeBetween(before: ServerEntries, after: ServerEntries): DocumentChange {
  const isOther = (name: string) => JSON.stringify(before.get(name)) !== JSON.stringify(after.get(name));
  return {
    added: [...after.keys()].filter((name) => !before.has(name)),
    removed: [...before.keys()].filter((name) => !after.has(name)),
    changed: [...after.keys()].filter((name) => before.has(name) && isOther(name)),
  };
}
