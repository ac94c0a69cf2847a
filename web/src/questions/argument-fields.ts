// The arguments of a tool call as editable fields: strings as text, everything else as JSON.

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

/** Parses the fields. The problem names the first field whose JSON is invalid. */
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
