// Which texts of an entry are secrets. Their place decides, because their form does not reveal it.
import { isFields } from '../../json/unknown-json.ts';

export type EntryFields = Readonly<Record<string, unknown>>;
/** The keys that lead to a text. In an address: the part before the query, and the parameter. */
export type SecretPath = readonly string[];

/** Matches keys. Values under such keys are masked wherever nothing more is known about them. */
const SECRET_KEY = /secret|token|password|passwd|api_?key|credential|private_?key|authorization/i;
/** Keys of `oauth` that match but hold no secret. */
const NO_SECRET: ReadonlySet<string> = new Set([
  'token_url',
  'token_endpoint_auth_method',
  'token_field',
  'token_type_field',
  'default_token_type',
  'extra_token_params',
]);

type Replace = (value: string, path: SecretPath) => string;

/** Returns a copy of the entry with `replace` applied to every secret. */
export function mapSecrets(entry: EntryFields, replace: Replace): EntryFields {
  return mapFields(entry, [], replace);
}

/** Returns the secrets of the entry with their places. */
export function secretsIn(entry: EntryFields): readonly (readonly [SecretPath, string])[] {
  const found: [SecretPath, string][] = [];
  mapSecrets(entry, (value, path) => {
    found.push([path, value]);
    return value;
  });
  return found;
}

function mapFields(fields: EntryFields, path: SecretPath, replace: Replace): EntryFields {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [key, mapValue(value, [...path, key], replace)]),
  );
}

function mapValue(value: unknown, path: SecretPath, replace: Replace): unknown {
  if (typeof value === 'string') {
    if (path.length === 1 && path[0] === 'url') return mapQuery(value, path, replace);
    return isSecret(path) ? replace(value, path) : value;
  }
  if (Array.isArray(value)) {
    // The arguments of a command and the names of tools are shown; elsewhere the key decides for all.
    return value.map((inner, index) => mapValue(inner, [...path, String(index)], replace));
  }
  return isFields(value) ? mapFields(value, path, replace) : value;
}

/** Parts of the entry in which the administrator chooses every key. */
const ALL_SECRET: readonly string[] = ['env', 'headers', 'oauth.extra_token_params'];
/** Lists and switches whose keys are names of tools and the like. */
const NONE_SECRET: ReadonlySet<string> = new Set(['args', 'tools', 'allowed_tools', 'denied_tools']);

function isSecret(path: SecretPath): boolean {
  const [first = '', second = ''] = path;
  if (NONE_SECRET.has(first)) return false;
  if (ALL_SECRET.includes(first) || ALL_SECRET.includes(`${first}.${second}`)) return true;
  return path.some((key) => SECRET_KEY.test(key) && !NO_SECRET.has(key));
}

/** Applies `replace` to the parameters of an address, because many servers take their key there. */
function mapQuery(text: string, path: SecretPath, replace: Replace): string {
  const [address = '', query] = text.split(/\?(.*)/s);
  if (query === undefined || query === '') return text;
  const pairs = query.split('&').map((pair) => {
    const [key = '', value] = pair.split(/=(.*)/s);
    return value === undefined ? pair : `${key}=${replace(value, [...path, address, key])}`;
  });
  return `${address}?${pairs.join('&')}`;
}
