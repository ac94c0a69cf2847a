// A file that exists and cannot be read.
import { rename, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Puts a socket in place of the file while `use` runs, so that no user can open it. */
export async function unreadable(path: string, use: () => Promise<void>): Promise<void> {
  const socket = join(tmpdir(), `socket-${process.pid}`);
  const server = createServer();
  await new Promise<void>((listening) => server.listen(socket, listening));
  await rename(path, `${path}.aside`);
  await rename(socket, path);
  try {
    await use();
  } finally {
    await rm(path);
    await rename(`${path}.aside`, path);
    await new Promise((closed) => server.close(closed));
  }
}
