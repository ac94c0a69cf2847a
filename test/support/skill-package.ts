// `.skill` packages that tests make and install over HTTP.
import { ZipFile } from 'yazl';
import type { HttpClient } from './http-client.ts';
import { skillText } from './skill-files.ts';

const BOUNDARY = 'a-boundary-of-the-test';

/** Returns a zip of these files, with a SKILL.md of this name if none is given. */
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

/** Sends the package as browsers do, followed by further fields. */
export function installPackage(
  client: HttpClient,
  bytes: Uint8Array,
  fields: PackageFields = {},
): Promise<Response> {
  return client.send('POST', '/api/skills/install', packageForm(bytes, fields));
}

/** Sends half of a package, and the rest on `finish`. `begun` resolves when the service starts to read. */
export function installSlowly(client: HttpClient, bytes: Uint8Array) {
  const { body, headers } = packageForm(bytes);
  const held = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  let hasBegun = false;
  const pieces = async function* () {
    hasBegun = true;
    begun.resolve();
    yield body.subarray(0, body.length / 2);
    await held.promise;
    yield body.subarray(body.length / 2);
  };
  const sent = pieces();
  const source: ReadableStream<Uint8Array> = new ReadableStream(
    {
      async pull(controller) {
        const { value } = await sent.next();
        if (value === undefined) controller.close();
        else controller.enqueue(value);
      },
    },
    { highWaterMark: 0 },
  );
  const answer = client.send('POST', '/api/skills/install', { body: source, headers });
  return { answer, begun: begun.promise, hasBegun: () => hasBegun, finish: () => held.resolve() };
}

interface PackageFields {
  readonly fileName?: string;
  readonly confirm?: string;
}

function packageForm(bytes: Uint8Array, { fileName = 'a.skill', confirm = '' }: PackageFields = {}) {
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="${fileName}"\r\nContent-Type: application/zip\r\n\r\n`;
  const field = `\r\n--${BOUNDARY}\r\nContent-Disposition: form-data; name="confirm"\r\n\r\n${confirm}`;
  const body = Buffer.concat([
    Buffer.from(head),
    bytes,
    Buffer.from(confirm === '' ? '' : field),
    Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
  ]);
  return { body, headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` } };
}
