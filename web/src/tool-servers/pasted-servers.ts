// Servers from the JSON that their documentation prints: a whole document, entries by name, or one entry.
// Pure.
import * as z from 'zod/mini';
import { entrySchema, type ServerEntries, type ServerEntry } from '../api/tool-server-shapes.ts';

export type PastedServers =
  | { readonly kind: 'servers'; readonly servers: ServerEntries }
  /** A single entry without a name, which the person has to enter. */
  | { readonly kind: 'nameless'; readonly entry: ServerEntry }
  | { readonly kind: 'problem'; readonly sentence: string };

const NOT_SERVERS =
  'There is no tool server in this text. Paste {"mcpServers": {...}}, or the entry of one server.';

/** `{"mcpServers": ...}`, and the `{"servers": ...}` of some editors. */
const documentSchema = z.union([
  z.pipe(
    z.object({ mcpServers: z.record(z.string(), z.unknown()) }),
    z.transform(({ mcpServers }) => mcpServers),
  ),
  z.pipe(
    z.object({ servers: z.record(z.string(), z.unknown()) }),
    z.transform(({ servers }) => servers),
  ),
]);
const objectSchema = z.record(z.string(), z.unknown());

export function readPastedServers(text: string): PastedServers {
  const pasted = objectSchema.safeParse(parsed(text));
  if (!pasted.success) return problem('This is not JSON. Check quotes, commas and brackets.');
  if (isEntry(pasted.data)) {
    const entry = entrySchema.safeParse(pasted.data);
    return entry.success
      ? { kind: 'nameless', entry: entry.data }
      : problem(`The entry is invalid: ${reasonOf(entry.error)}`);
  }
  const document = documentSchema.safeParse(pasted.data);
  const named = Object.entries(document.success ? document.data : pasted.data);
  // Without the outermost name, the person may have pasted anything.
  if (named.length === 0 || !(document.success || named.every(([, value]) => isEntry(value))))
    return problem(NOT_SERVERS);
  return namedServers(named);
}

function namedServers(named: readonly (readonly [string, unknown])[]): PastedServers {
  const servers: [string, ServerEntry][] = [];
  for (const [name, value] of named) {
    const entry = entrySchema.safeParse(value);
    if (!entry.success) return problem(`“${name}” is invalid: ${reasonOf(entry.error)}`);
    if (!isEntry(value)) return problem(`“${name}” has neither a command nor a url.`);
    servers.push([name, entry.data]);
  }
  return { kind: 'servers', servers: Object.fromEntries(servers) };
}

const startOfEntrySchema = z.union([z.object({ command: z.string() }), z.object({ url: z.string() })]);

function isEntry(value: unknown): boolean {
  return startOfEntrySchema.safeParse(value).success;
}

function problem(sentence: string): PastedServers {
  return { kind: 'problem', sentence };
}

/** Parses JSON. Documentation often omits the outermost brackets. */
function parsed(text: string): unknown {
  const trimmed = text.trim();
  for (const candidate of [trimmed, `{${trimmed.replace(/,$/, '')}}`]) {
    try {
      return JSON.parse(candidate);
    } catch {
      // Try the next form.
    }
  }
  return undefined;
}

function reasonOf({ issues }: z.core.$ZodError): string {
  const [issue] = issues;
  return `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`;
}
