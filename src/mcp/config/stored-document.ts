// The file with the tool servers, `mcp.json` in the data home: read again after a change, written as a whole.
import { z } from 'zod';
import { conflict, ServiceError } from '../../errors.ts';
import { parseJsonText } from '../../json/json-text.ts';
import { readPrivateFile, versionOf, writePrivateFile } from '../private-file.ts';
import type { ServerEntries } from './servers-document.ts';

const MAX_DOCUMENT_BYTES = 1_048_576;

const fileSchema = z.looseObject({
  mcpServers: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
});

interface DocumentReading {
  /** Changes when the file changes. */
  readonly version: string;
  readonly servers: ServerEntries;
  readonly others: Readonly<Record<string, unknown>>;
}

const NO_FILE = 'none';

const fileIn = (dataHome: string) => ({ dataHome, names: [], name: 'mcp.json', shownAs: 'mcp.json' });

/** Returns the version of the file, and reads nothing of it. */
export async function documentVersion(dataHome: string): Promise<string> {
  return (await versionOf(fileIn(dataHome))) ?? NO_FILE;
}

/** Throws `conflict` when the file was edited by hand and is not such a document. */
export async function readDocument(dataHome: string): Promise<DocumentReading> {
  const found = await readPrivateFile(fileIn(dataHome), MAX_DOCUMENT_BYTES);
  if (found === undefined) return { version: NO_FILE, servers: new Map(), others: {} };
  const { mcpServers, ...others } = parseDocument(found.text);
  return { version: found.version, servers: new Map(Object.entries(mcpServers)), others };
}

/** Durable when it resolves. */
export async function writeDocument(
  dataHome: string,
  { servers, others }: Pick<DocumentReading, 'servers' | 'others'>,
): Promise<void> {
  const document = { ...others, mcpServers: Object.fromEntries(servers) };
  const text = `${JSON.stringify(document, null, 2)}\n`;
  if (Buffer.byteLength(text) > MAX_DOCUMENT_BYTES)
    throw new ServiceError('payload_too_large', 'The document has more than 1 MiB. Configure fewer servers.');
  await writePrivateFile(fileIn(dataHome), text);
}

function parseDocument(text: string): z.output<typeof fileSchema> {
  try {
    return fileSchema.parse(parseJsonText(Buffer.from(text)));
  } catch (cause) {
    if (!(cause instanceof ServiceError || cause instanceof z.ZodError)) throw cause;
    throw conflict(
      'mcp.json in the data home is not a JSON document with "mcpServers". Correct it, or remove it and configure the servers again.',
    );
  }
}
