// What a server is known by: as long as it is the same program or address, it is the same server.
import { createHash } from 'node:crypto';
import type { ToolServer } from '../tool-server.ts';

/** The same for the same name and the same program or address, whatever else is configured. A name for a file. */
export function serverKey({ name, entry }: ToolServer): string {
  const { type, command, args, url } = entry;
  const text = JSON.stringify([name, type, command ?? null, args, url ?? null]);
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** So much of the hash that a change is seen, and so little that nobody finds a secret by it. */
const MARK_CHARACTERS = 6;

/** Another one when the same server is given other variables, headers or another account. */
export function settingsMark({ entry: { env, headers, oauth } }: ToolServer): string {
  const text = JSON.stringify([env, headers, oauth ?? null]);
  return createHash('sha256').update(text).digest('hex').slice(0, MARK_CHARACTERS);
}
