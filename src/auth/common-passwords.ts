// The blocklist of 36 passwords (docs/contract/authentication.md#passwords).

const COMMON_PASSWORDS: ReadonlySet<string> = new Set(
  `password password1 password12 password123 password1234 12345678 123456789 1234567890 qwerty12 qwertyui
  qwerty123 abc12345 abcd1234 iloveyou letmein1 welcome1 welcome123 admin123 administrator passw0rd p@ssw0rd
  monkey12 trustno1 sunshine princess football baseball superman batman123 starwars dragon123 master123
  shadow12 michael1 jennifer computer`.split(/\s+/),
);

/** Whether the password, in any case, is on the blocklist. */
export function isCommonPassword(password: string): boolean {
  return COMMON_PASSWORDS.has(password.toLowerCase());
}
