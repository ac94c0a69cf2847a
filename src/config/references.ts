// `$NAME` in a text of the configuration refers to an environment variable. `$$` is a dollar sign.

export type Environment = Readonly<Record<string, string | undefined>>;

const REFERENCE = /\$\$|\$([A-Za-z_][A-Za-z0-9_]*)/g;

/** Returns the text with its references replaced, all names in it, and the names that are not set. */
export function resolveReferences(
  text: string,
  environment: Environment,
): { readonly text: string; readonly names: readonly string[]; readonly missing: readonly string[] } {
  const names: string[] = [];
  const missing: string[] = [];
  const resolved = text.replaceAll(REFERENCE, (_, name: string | undefined) => {
    if (name === undefined) return '$';
    names.push(name);
    const value = environment[name];
    if (value === undefined || value === '') missing.push(name);
    return value ?? '';
  });
  return { text: resolved, names, missing };
}
