// The bytes of a file that the service answers.
import type { FileContent } from './file-shapes.ts';

/** At most about `most` bytes of it: the rest is not fetched. */
export async function readContent(response: Response, most: number): Promise<FileContent> {
  const mediaType = response.headers.get('Content-Type') ?? '';
  const reader = response.body?.getReader();
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  let isWhole = true;
  while (reader !== undefined) {
    const { done, value } = await reader.read();
    if (done) break;
    pieces.push(value);
    length += value.length;
    if (length <= most) continue;
    isWhole = false;
    await reader.cancel();
    break;
  }
  return { bytes: new Uint8Array(await new Blob(pieces).arrayBuffer()), isWhole, mediaType };
}
