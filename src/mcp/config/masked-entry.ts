// Entries as administrators see them: without secrets. And back: `***` stands for what is stored.
import { invalid } from '../../errors.ts';
import { type EntryFields, mapSecrets, type SecretPath } from './secret-places.ts';
import { isReference } from './variable-references.ts';

const MASK = '***';

/** A copy of the entry in which nothing secret is left. */
export function maskedEntry(entry: EntryFields): EntryFields {
  return mapSecrets(entry, (value) => (value === '' || isReference(value) ? value : MASK));
}

/**
 * A copy of the entry in which `***` is what is stored at the same place. Throws `invalid` where nothing is stored:
 * nobody wants three stars for a password.
 */
export function unmaskedEntry(
  name: string,
  entry: EntryFields,
  stored: EntryFields | undefined,
): EntryFields {
  const kept = secretsIn(stored ?? {});
  return mapSecrets(entry, (value, path) => {
    if (value !== MASK) return value;
    const secret = kept.get(JSON.stringify(path));
    if (secret === undefined) throw invalid(refusal(name, path));
    return secret;
  });
}

function secretsIn(entry: EntryFields): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  mapSecrets(entry, (value, path) => {
    found.set(JSON.stringify(path), value);
    return value;
  });
  return found;
}

function refusal(name: string, path: SecretPath): string {
  const [section = ''] = path;
  const key = section === 'env' || section === 'headers' ? `${section} key` : 'field';
  const what = section === 'url' ? 'a parameter of url' : `${key} '${path.at(-1)}'`;
  return `Tool server '${name}': Cannot set ${what} to masked value '${MASK}'; provide a real value.`;
}
