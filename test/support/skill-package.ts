// `.skill` packages, made by tests and sent through the front door.
import { ZipFile } from 'yazl';
import type { HttpClient } from './http-client.ts';
import { skillText } from './skill-files.ts';

const BOUNDARY = 'a-boundary-of-the-test';

/** A zip of these files; with a SKILL.md of this name when none is given. */
export async function skillPackage(
  name: string,
  files: Readonly<Record<string, string | Buffer>> = {},
): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [path, content] of Object.entries({ 'SKILL.md': skillText(name), ...files }))
    zip.addBuffer(Buffer.from(content), path, { mode: 0o100644 });
  zip.end();
  const pieces: Buffer[] = [];
  for await (const piece of zip.outputStream) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

/** Sends the package as browsers do, with further fields behind it. */
export function installPackage(
  client: HttpClient,
  bytes: Uint8Array,
  { fileName = 'a.skill', confirm = '' } = {},
): Promise<Response> {
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="${fileName}"\r\nContent-Type: application/zip\r\n\r\n`;
  const field = `\r\n--${BOUNDARY}\r\nContent-Disposition: form-data; name="confirm"\r\n\r\n${confirm}`;
  const body = Buffer.concat([
    Buffer.from(head),
    bytes,
    Buffer.from(confirm === '' ? '' : field),
    Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
  ]);
  return client.send('POST', '/api/skills/install', {
    body,
    headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
  });
}
