// Query parameters as an object: one value is a string, a repeated one a list.
import type { AppContext } from './context.ts';

export type QueryValues = Readonly<Record<string, string | readonly string[]>>;

export function readQuery(c: AppContext): QueryValues {
  const parameters = new URLSearchParams(c.var.target.query);
  const names = new Set(parameters.keys());
  return Object.fromEntries(
    [...names].map((name) => {
      const values = parameters.getAll(name);
      const [only] = values;
      return [name, values.length === 1 && only !== undefined ? only : values];
    }),
  );
}
