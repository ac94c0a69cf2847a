// Entries as administrators see them: without secrets. And back: `***` means the stored value.

import { invalid } from '../../errors.ts';
import { isFields } from '../../json/unknown-json.ts';
import { type EntryFields, mapSecrets, type SecretPath, secretsIn } from './secret-places.ts';
import { isReference } from './variable-references.ts';

const MASK = '***';

/** Returns a copy of the entry with its secrets masked. */
export function maskedEntry(entry: EntryFields): EntryFields {
  return mapSecrets(entry, (value) => (value === '' || isReference(value) ? value : MASK));
}

/**
 * Returns a copy of the entry in which `***` is replaced by the value stored at the same place. Throws
 * `invalid` where nothing is stored: `***` is never meant as a password. Headers are kept only for the same
 * host, and secrets of `oauth` only for the same host and `token_url`, so that people who may not see them
 * cannot send them elsewhere.
 */
export function unmaskedEntry(
  name: string,
  entry: EntryFields,
  stored: EntryFields | undefined,
): EntryFields {
  const kept = new Map(secretsIn(stored ?? {}).map(([path, value]) => [JSON.stringify(path), value]));
  const mayKeep = keepsFor(entry, stored ?? {});
  return mapSecrets(entry, (value, path) => {
    if (value !== MASK) return value;
    const secret = mayKeep(path) ? kept.get(JSON.stringify(path)) : undefined;
    if (secret === undefined) throw invalid(refusal(name, path));
    return secret;
  });
}

function keepsFor(entry: EntryFields, stored: EntryFields): (path: SecretPath) => boolean {
  const isSameHost = originOf(entry) === originOf(stored);
  const isSameIssuer = isSameHost && tokenUrlOf(entry) === tokenUrlOf(stored);
  return ([section]) => {
    if (section === 'headers') return isSameHost;
    return section === 'oauth' ? isSameIssuer : true;
  };
}

function originOf({ url }: EntryFields): string | undefined {
  return typeof url === 'string' ? URL.parse(url)?.origin : undefined;
}

function tokenUrlOf({ oauth }: EntryFields): unknown {
  return isFields(oauth) ? oauth.token_url : undefined;
}

function refusal(name: string, path: SecretPath): string {
  const [section = ''] = path;
  const key = section === 'env' || section === 'headers' ? `${section} key` : 'field';
  const what = section === 'url' ? 'a parameter of url' : `${key} '${path.at(-1)}'`;
  return `Tool server '${name}': Cannot set ${what} to masked value '${MASK}'; provide a real value.`;
}
