// The file with the operator's first sign-in credentials
// (docs/contract/authentication.md#the-first-administrator).
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../log.ts';
import { readPrivate, writeExclusive, writeReplacing } from './exclusive-file.ts';

export interface GeneratedCredentials {
  readonly userId: string;
  readonly email: string;
  readonly password: string;
}

export type InitialCredentials = ReturnType<typeof createInitialCredentials>;

export function createInitialCredentials(dataHome: string) {
  const path = join(dataHome, 'admin_initial_credentials.txt');
  const read = async () => parse((await readPrivate(path)) ?? '');
  const removeFor = async (userId: string): Promise<void> => {
    if ((await read())?.userId === userId) await rm(path, { force: true });
  };
  return {
    path,
    /** Returns the credentials in the file. `undefined` when it does not exist or contains something else. */
    read,
    /** Creates the file unless it exists. Never overwrites it. */
    writeNew: (credentials: GeneratedCredentials) => writeExclusive(path, format(credentials)),
    replace: (credentials: GeneratedCredentials) => writeReplacing(path, format(credentials)),
    /** Removes the file if it belongs to this user. */
    removeFor,
    /** As `removeFor`. A failure is only logged. */
    forget: (userId: string, log: Log): Promise<void> =>
      removeFor(userId).catch((err: unknown) =>
        log.warn({ err, path }, 'The initial credentials file could not be removed'),
      ),
  };
}

/** Returns 144 random bits as text that a person can copy. */
export function generatedPassword(): string {
  return randomBytes(18).toString('base64url');
}

function format({ userId, email, password }: GeneratedCredentials): string {
  return [
    '# Sign in with these, then choose your own e-mail and password.',
    '# This file is removed when the password is changed.',
    `email: ${email}`,
    `password: ${password}`,
    `account: ${userId}`,
    '',
  ].join('\n');
}

function parse(text: string): GeneratedCredentials | undefined {
  const fields = new Map(
    text.split('\n').map((line) => {
      const [name = '', value] = line.split(': ');
      return [name, value];
    }),
  );
  const [userId, email, password] = ['account', 'email', 'password'].map((name) => fields.get(name));
  if (userId === undefined || email === undefined || password === undefined) return undefined;
  return { userId, email, password };
}
