// Zips for tests: read whole, and made of any entries, safe or not.
import { createHash } from 'node:crypto';
import { fromBufferPromise } from 'yauzl';
import { ZipFile } from 'yazl';

/** Returns the texts of all entries by name. */
export async function unzipped(response: Response | Promise<Response>): Promise<Map<string, string>> {
  const reply = await response;
  if (reply.status !== 200) throw new Error(`no zip but ${reply.status}: ${await reply.text()}`);
  const zip = await fromBufferPromise(Buffer.from(await reply.arrayBuffer()), { lazyEntries: true });
  const entries = new Map<string, string>();
  for await (const entry of zip.eachEntry()) {
    const pieces: Buffer[] = [];
    for await (const piece of await zip.openReadStreamPromise(entry)) pieces.push(Buffer.from(piece));
    entries.set(entry.fileName, Buffer.concat(pieces).toString());
  }
  return entries;
}

export interface RawEntry {
  readonly name: string;
  readonly text: string;
  readonly mode?: number;
}

/** Patches the real names over placeholders of the same length, so that no library normalizes them. */
export async function zipOf(entries: readonly RawEntry[]): Promise<Buffer> {
  const zip = new ZipFile();
  const stand: [string, string][] = entries.map(({ name }, index) => [
    name,
    `${index}`.padStart(Buffer.byteLength(name), 'x').slice(-Buffer.byteLength(name)),
  ]);
  for (const [index, { text, mode = 0o100600 }] of entries.entries()) {
    const name = stand[index]?.[1] ?? '';
    zip.addBuffer(Buffer.from(text), name, { mode });
  }
  zip.end();
  const pieces: Buffer[] = [];
  for await (const piece of zip.outputStream) pieces.push(Buffer.from(piece));
  let bytes: Buffer = Buffer.concat(pieces);
  for (const [name, placeholder] of stand) bytes = replaced(bytes, placeholder, name);
  return bytes;
}

function replaced(bytes: Buffer, from: string, to: string): Buffer {
  const result = Buffer.from(bytes);
  for (let at = result.indexOf(from); at !== -1; at = result.indexOf(from, at + 1)) result.write(to, at);
  return result;
}

/** Returns the package with these texts and a manifest that matches them. */
export async function packageOf(entries: ReadonlyMap<string, string>): Promise<Buffer> {
  const manifest = JSON.parse(entries.get('manifest.json') ?? '{}');
  const others = [...entries].filter(([name]) => name !== 'manifest.json');
  manifest.entries = Object.fromEntries(
    others.map(([name, text]) => [
      name,
      { bytes: Buffer.byteLength(text), sha256: createHash('sha256').update(text).digest('hex') },
    ]),
  );
  return plainZip([...others, ['manifest.json', JSON.stringify(manifest)]]);
}

/** Returns a zip of entries whose names a library accepts. */
export async function plainZip(entries: readonly (readonly [string, string])[]): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, text] of entries) zip.addBuffer(Buffer.from(text), name);
  zip.end();
  const pieces: Buffer[] = [];
  for await (const piece of zip.outputStream) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}
