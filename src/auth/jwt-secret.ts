// Where the key that signs session tokens comes from.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { readPrivate, writeExclusive } from './exclusive-file.ts';
import { weaknessOf } from './weak-secret.ts';

const MIN_CHARACTERS = 32;

/**
 * The configured secret, else the one in `<dataHome>/.jwt_secret`, generated there once, mode 0600. Throws a
 * sentence for the operator when the secret is shorter than 32 characters or can be guessed. Two processes get the same one.
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
