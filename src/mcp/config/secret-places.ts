// Which texts of an entry are secrets: by their place, because their form does not reveal it.

export type EntryFields = Readonly<Record<string, unknown>>;
/** The keys that lead to a text; in an address, its part before the query and the parameter. */
export type SecretPath = readonly string[];

/** By the key. Values under such keys are masked wherever nothing more is known about them. */
const SECRET_KEY = /secret|token|password|passwd|api_?key|credential|private_?key|authorization/i;
/** Of `oauth`: they name things and are none. */
const NO_SECRET: ReadonlySet<string> = new Set([
  'token_url',
  'token_endpoint_auth_method',
  'token_field',
  'token_type_field',
  'default_token_type',
  'extra_token_params',
]);

type Replace = (value: string, path: SecretPath) => string;

/** A copy of the entry with `replace` applied to every secret. */
export function mapSecrets(entry: EntryFields, replace: Replace): EntryFields {
  return mapFields(entry, [], replace);
}

function mapFields(fields: EntryFields, path: SecretPath, replace: Replace): EntryFields {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [key, mapValue(value, [...path, key], replace)]),
  );
}

function mapValue(value: unknown, path: SecretPath, replace: Replace): unknown {
  if (typeof value === 'string') {
    if (isUrl(path)) return mapQuery(value, path, replace);
    return isSecret(path) ? replace(value, path) : value;
  }
  if (Array.isArray(value)) {
    // The arguments of a command and the names of tools are shown; elsewhere the key decides for all.
    return value.map((inner, index) => mapValue(inner, [...path, String(index)], replace));
  }
  return isFields(value) ? mapFields(value, path, replace) : value;
}

export function isFields(value: unknown): value is EntryFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The texts whose every key is the administrator's own. */
const ALL_SECRET: readonly string[] = ['env', 'headers', 'oauth.extra_token_params'];
/** The lists and switches whose keys are names of tools and the like. */
const NONE_SECRET: ReadonlySet<string> = new Set(['args', 'tools', 'allowed_tools', 'denied_tools']);

function isSecret(path: SecretPath): boolean {
  const [first = '', second = ''] = path;
  if (NONE_SECRET.has(first)) return false;
  if (ALL_SECRET.includes(first) || ALL_SECRET.includes(`${first}.${second}`)) return true;
  return path.some((key) => SECRET_KEY.test(key) && !NO_SECRET.has(key));
}

function isUrl(path: SecretPath): boolean {
  return path.length === 1 && path[0] === 'url';
}

/** Many servers take their key in the query of their address. */
function mapQuery(text: string, path: SecretPath, replace: Replace): string {
  const [address = '', query] = text.split(/\?(.*)/s);
  if (query === undefined || query === '') return text;
  const pairs = query.split('&').map((pair) => {
    const [key = '', value] = pair.split(/=(.*)/s);
    return value === undefined ? pair : `${key}=${replace(value, [...path, address, key])}`;
  });
  return `${address}?${pairs.join('&')}`;
}
