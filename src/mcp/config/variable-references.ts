// `$NAME` in the document refers to a variable of the service's environment.

export type Environment = Readonly<Record<string, string | undefined>>;

/** The whole value, or everything after one word, as in `Bearer $TOKEN`. */
const REFERENCE = /^([A-Za-z][A-Za-z-]{0,31} )?\$(?:([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)\})$/;

/** Variables that configure the service itself. An administrator of the web app need not be its operator. */
const OWN = /^(?:AUTH_.*|DATABASE_URL|REDIS_URL|DATA_HOME|CONFIG_FILE|PG[A-Z]+)$/;

export function isReference(text: string): boolean {
  return REFERENCE.test(text);
}

export type ResolveReference = (text: string) => { readonly text: string } | { readonly problem: string };

interface AllowedNames {
  /** The only variables that entries may refer to; absent: all but those of the service itself. */
  readonly names: readonly string[] | undefined;
  /** Variables that configure the service itself, besides its settings. */
  readonly own: readonly string[];
}

export function createResolveReference(
  environment: Environment,
  { names, own }: AllowedNames,
): ResolveReference {
  const mayRead = (name: string) =>
    names === undefined ? !OWN.test(name) && !own.includes(name) : names.includes(name);
  return (text) => {
    const [, word = '', plain, braced] = REFERENCE.exec(text) ?? [];
    const name = plain ?? braced;
    if (name === undefined) return { text };
    if (!mayRead(name))
      return { problem: `$${name} may not be used here (mcp.environment of the configuration file).` };
    const value = environment[name];
    if (value === undefined || value === '')
      return { problem: `the variable ${name} is not set. Set it and start the service again.` };
    return { text: `${word}${value}` };
  };
}
