// The arguments of a tool call as fields that a person can change: words as they are, everything else as JSON.

type Arguments = Readonly<Record<string, unknown>>;

export interface ArgumentField {
  readonly name: string;
  readonly kind: 'words' | 'json';
  readonly text: string;
}

export type ReadArguments =
  | { readonly kind: 'arguments'; readonly args: Arguments }
  | { readonly kind: 'invalid'; readonly field: string };

export function toFields(args: Arguments): readonly ArgumentField[] {
  return Object.entries(args).map(([name, value]) =>
    typeof value === 'string'
      ? { name, kind: 'words', text: value }
      : { name, kind: 'json', text: JSON.stringify(value, null, 2) },
  );
}

/** Names the first field that holds no JSON where it must. */
export function toArguments(fields: readonly ArgumentField[]): ReadArguments {
  const args: [string, unknown][] = [];
  for (const { name, kind, text } of fields) {
    if (kind === 'words') {
      args.push([name, text]);
      continue;
    }
    try {
      args.push([name, JSON.parse(text)]);
    } catch {
      return { kind: 'invalid', field: name };
    }
  }
  return { kind: 'arguments', args: Object.fromEntries(args) };
}
