// Names of fields: snake_case on the wire and in SQL, camelCase inside.

export type Camel<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Name;

export function camelCase(name: string): string {
  return name.replaceAll(/_(.)/g, (_, first: string) => first.toUpperCase());
}
