// The body of an answer that is a file: read no faster than its reader takes it.
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { LiveBody } from '../transport/live-body.ts';

/** A file that became shorter meanwhile breaks the answer off, so that nobody takes a part for the whole. */
export function fileBody(bytes: Readable, length: number): LiveBody {
  return {
    pourInto(response) {
      let sent = 0;
      bytes.on('data', (piece: Buffer) => {
        sent += piece.length;
        if (!response.write(piece)) bytes.pause();
      });
      response.on('drain', () => bytes.resume());
      response.on('close', () => bytes.destroy());
      bytes.on('end', () => finish(response, sent === length));
      bytes.on('error', () => response.destroy());
      if (response.destroyed) bytes.destroy();
    },
    stream: () => Readable.toWeb(bytes),
    leave: () => void bytes.destroy(),
  };
}

function finish(response: ServerResponse, isWhole: boolean): void {
  if (isWhole) response.end();
  else response.destroy();
}
