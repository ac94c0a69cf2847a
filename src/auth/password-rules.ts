// Which passwords may be chosen (docs/contract/authentication.md#passwords).
import { isCommonPassword } from './common-passwords.ts';

const MIN_CHARACTERS = 8;
const MAX_PASSWORD_CHARACTERS = 1024;
// Normalising may shorten a text, so the raw bound is looser; it only keeps a huge text from being normalised.
const MAX_RAW_LENGTH = MAX_PASSWORD_CHARACTERS * 16;

/** The one form of a password that is measured, compared and hashed. */
export function normalizedPassword(password: string): string {
  return password.normalize('NFKC');
}

/** Whether the text is longer than any password can be. */
export function isOverlong(password: string): boolean {
  return (
    password.length > MAX_RAW_LENGTH || characters(normalizedPassword(password)) > MAX_PASSWORD_CHARACTERS
  );
}

/** Why this password may not be chosen, as a sentence; `undefined` when it may. The length is checked first. */
export function passwordProblem(password: string): string | undefined {
  if (isOverlong(password)) return `A password has at most ${MAX_PASSWORD_CHARACTERS} characters.`;
  const normalized = normalizedPassword(password);
  if (characters(normalized) < MIN_CHARACTERS) return `A password has at least ${MIN_CHARACTERS} characters.`;
  if (isCommonPassword(normalized)) return 'This password is too common: choose another one.';
  return undefined;
}

function characters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
