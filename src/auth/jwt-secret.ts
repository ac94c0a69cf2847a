// Loads the secret that signs session tokens, and refuses guessable ones: defaults from manuals and repeating
// texts.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { readPrivate, writeExclusive } from './exclusive-file.ts';

const MIN_CHARACTERS = 32;

/**
 * Returns the configured secret, else the one in `<dataHome>/.jwt_secret`, which is generated once with mode
 * 0600. Two processes get the same one. Throws an error with a sentence for the operator when the secret is
 * shorter than 32 characters or guessable.
 */
export async function loadJwtSecret(options: {
  readonly dataHome: string;
  readonly configured?: string | undefined;
}): Promise<string> {
  if (options.configured !== undefined) return checked(options.configured, 'AUTH_JWT_SECRET');
  const path = join(options.dataHome, '.jwt_secret');
  await writeSecretOnce(path);
  return checked((await readPrivate(path))?.trim() ?? '', path);
}

async function writeSecretOnce(path: string): Promise<void> {
  if ((await readPrivate(path)) !== undefined) return;
  await writeExclusive(path, `${randomBytes(48).toString('base64url')}\n`);
}

function checked(secret: string, source: string): string {
  const weakness =
    secret.length < MIN_CHARACTERS ? `has fewer than ${MIN_CHARACTERS} characters` : weaknessOf(secret);
  if (weakness === undefined) return secret;
  throw new Error(
    `The secret in ${source} ${weakness}. Use another one, or remove it: the service then generates its own.`,
  );
}

/** Words of placeholder secrets, without punctuation and digits. */
const PLACEHOLDERS = [
  'changethis',
  'changeme',
  'change',
  'replace',
  'placeholder',
  'insert',
  'example',
  'default',
  'development',
  'production',
  'insecure',
  'supersecret',
  'secret',
  'password',
  'passphrase',
  'admin',
  'agent',
  'service',
  'session',
  'signing',
  'random',
  'string',
  'token',
  'here',
  'your',
  'this',
  'with',
  'auth',
  'test',
  'jwt',
  'key',
  'my',
  'me',
] as const;
const MIN_UNGUESSED_CHARACTERS = 16;
const MIN_DISTINCT_CHARACTERS = 8;

/** Returns the weakness of the secret as `must ...`, or `undefined` if there is none. */
export function weaknessOf(secret: string): string | undefined {
  if (new Set(secret).size < MIN_DISTINCT_CHARACTERS || repeatsItself(secret) || isSequence(secret))
    return 'must not repeat or count: make a random one';
  return remainder(secret).length < MIN_UNGUESSED_CHARACTERS
    ? 'must not consist of the words of an example: make a random one'
    : undefined;
}

/** Whether the secret repeats a text of at most half its length. */
function repeatsItself(secret: string): boolean {
  const periods = Array.from({ length: Math.floor(secret.length / 2) }, (_, n) => n + 1);
  return periods.some((period) => secret.startsWith(secret.slice(period)));
}

/** Whether most characters are followed by the next one, as in `abcdef` and `123456`. */
function isSequence(secret: string): boolean {
  const codes = Array.from(secret, (character) => character.charCodeAt(0));
  const steps = codes.filter((code, n) => n > 0 && Math.abs(code - (codes[n - 1] ?? 0)) === 1).length;
  return steps > secret.length / 2;
}

function remainder(secret: string): string {
  const letters = secret.toLowerCase();
  return PLACEHOLDERS.reduce((left, word) => left.replaceAll(word, ''), letters).replaceAll(/[^a-z0-9]/g, '');
}
