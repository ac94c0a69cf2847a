// Rules for new passwords (docs/contract/authentication.md#passwords).

const MIN_CHARACTERS = 8;
const MAX_PASSWORD_CHARACTERS = 1024;
// Normalising may shorten a text, so the raw limit is looser. It only avoids normalising a huge text.
const MAX_RAW_LENGTH = MAX_PASSWORD_CHARACTERS * 16;

/** Returns the form of a password that is measured, compared and hashed. */
export function normalizedPassword(password: string): string {
  return password.normalize('NFKC');
}

/** Whether the text is longer than any password may be. */
export function isOverlong(password: string): boolean {
  return (
    password.length > MAX_RAW_LENGTH || characters(normalizedPassword(password)) > MAX_PASSWORD_CHARACTERS
  );
}

/**
 * Returns a sentence why this password may not be chosen, or `undefined` if it may. Checks the length first.
 */
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

const COMMON_PASSWORDS: ReadonlySet<string> = new Set(
  `password password1 password12 password123 password1234 12345678 123456789 1234567890 qwerty12 qwertyui
  qwerty123 abc12345 abcd1234 iloveyou letmein1 welcome1 welcome123 admin123 administrator passw0rd p@ssw0rd
  monkey12 trustno1 sunshine princess football baseball superman batman123 starwars dragon123 master123
  shadow12 michael1 jennifer computer`.split(/\s+/),
);

/** Whether the password, in any case, is on the blocklist. */
function isCommonPassword(password: string): boolean {
  return COMMON_PASSWORDS.has(password.toLowerCase());
}
