// `$NAME` in a text of the configuration stands for an environment variable; `$$` is a dollar sign.

export type Environment = Readonly<Record<string, string | undefined>>;

const REFERENCE = /\$\$|\$([A-Za-z_][A-Za-z0-9_]*)/g;

/** The text with its references replaced, and the names that are not set. */
export function resolveReferences(
  text: string,
  environment: Environment,
): { readonly text: string; readonly missing: readonly string[] } {
  const missing: string[] = [];
  const resolved = text.replaceAll(REFERENCE, (_, name: string | undefined) => {
    if (name === undefined) return '$';
    const value = environment[name];
    if (value === undefined || value === '') missing.push(name);
    return value ?? '';
  });
  return { text: resolved, missing };
}
