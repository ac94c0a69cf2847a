// Text of a tool server, without invisible characters and without the secrets of its entry.
import { secretsIn } from './config/secret-places.ts';
import type { ServerFailure } from './server-failure.ts';
import type { ToolServer } from './tool-server.ts';

const MASK = '***';
const DETAILS_CHARACTERS = 1_000;
/** Masking shorter ones would hide half of every text. */
const SHORTEST = 4;
const SHORTEST_END = 2;

/** Returns the failure as a text for administrators only. */
export function failureText({ message, details = '' }: ServerFailure, { entry }: ToolServer): string {
  // Masked before it is cut, so that no half of a secret is left at the edge.
  const secrets = secretsOf(entry);
  const [said, words] = [masked(message, secrets), masked(details, secrets).trim()];
  return words === '' ? said : `${said} It said: ${words.slice(-DETAILS_CHARACTERS)}`;
}

/** Returns the text without secrets, for every reader, models included. */
export function withoutSecrets(text: string, { entry }: Pick<ToolServer, 'entry'>): string {
  return masked(text, secretsOf(entry));
}

/** Longest first, because one may contain another. Of headers also each word: the scheme may be omitted. */
function secretsOf(entry: ToolServer['entry']): readonly string[] {
  const found = secretsIn(entry).flatMap(([, value]) => [value, decoded(value), ...value.split(/\s+/)]);
  return [...new Set(found)]
    .filter(({ length }) => length >= SHORTEST)
    .toSorted((one, other) => other.length - one.length);
}

function masked(text: string, secrets: readonly string[]): string {
  const whole = secrets.reduce((found, secret) => found.replaceAll(secret, MASK), text);
  // The output of a program is cut at its beginning, perhaps inside a secret.
  const rest = secrets.map((secret) => endOfSecret(whole, secret));
  const longest = Math.max(0, ...rest);
  return longest === 0 ? whole : `${MASK}${whole.slice(longest)}`;
}

/** Returns how many characters at the beginning of the text are the end of the secret. */
function endOfSecret(text: string, secret: string): number {
  const first = Math.max(1, secret.length - text.length);
  for (let from = first; from <= secret.length - SHORTEST_END; from += 1) {
    if (text.startsWith(secret.slice(from))) return secret.length - from;
  }
  return 0;
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** Tags, variant selectors, direction marks, zero-width signs, and controls other than tabs and line ends. */
const HIDDEN = /\p{Default_Ignorable_Code_Point}|[\u202a-\u202e\u2066-\u2069]|(?![\n\t])\p{Cc}/gu;
/** Needed for writing: joiners between letters and signs, and the selector that makes a sign an emoji. */
const NEEDED: ReadonlySet<string> = new Set(['\u200c', '\u200d', '\ufe0f']);

/** Returns the text without characters that people do not see and models read. */
export function withoutHidden(text: string): string {
  return text.toWellFormed().replace(HIDDEN, (sign) => (NEEDED.has(sign) ? sign : ''));
}
