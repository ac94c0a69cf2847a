// Passwords are kept as argon2id hashes, made off the event loop.
import { hash, verify } from '@node-rs/argon2';

/** A hash of the same cost that no password is known for: an absent account takes as long as a wrong password. */
const nobody = await hash(crypto.randomUUID());

export function hashPassword(password: string): Promise<string> {
  return hash(password.normalize('NFKC'));
}

export async function isPassword(password: string, passwordHash: string | undefined): Promise<boolean> {
  const matches = await verify(passwordHash ?? nobody, password.normalize('NFKC'));
  return matches && passwordHash !== undefined;
}
