// The file that tells the operator how to sign in for the first time (docs/contract/authentication.md#the-first-administrator).
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readPrivate, writeExclusive, writeReplacing } from './exclusive-file.ts';

export interface GeneratedCredentials {
  readonly userId: string;
  readonly email: string;
  readonly password: string;
}

export interface InitialCredentials {
  readonly path: string;
  /** What the file says; `undefined` when there is none, or it says something else. */
  read(): Promise<GeneratedCredentials | undefined>;
  /** Creates the file, unless there is one: never overwrites. */
  writeNew(credentials: GeneratedCredentials): Promise<'written' | 'exists'>;
  replace(credentials: GeneratedCredentials): Promise<void>;
  /** Removes the file if it is about this user. */
  removeFor(userId: string): Promise<void>;
}

export function createInitialCredentials(dataHome: string): InitialCredentials {
  const path = join(dataHome, 'admin_initial_credentials.txt');
  const read = async () => parse((await readPrivate(path)) ?? '');
  return {
    path,
    read,
    writeNew: (credentials) => writeExclusive(path, format(credentials)),
    replace: (credentials) => writeReplacing(path, format(credentials)),
    async removeFor(userId) {
      if ((await read())?.userId === userId) await rm(path, { force: true });
    },
  };
}

/** 144 random bits that a person can copy. */
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
