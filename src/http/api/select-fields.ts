// The fields of a body that a client asked for with `select`.

/** Unknown names are left out; without a selection the body is answered as it is. */
export function selectFields<Value>(
  body: Readonly<Record<string, Value>>,
  fields: readonly string[] | undefined,
): Readonly<Record<string, Value>> {
  if (fields === undefined) return body;
  return Object.fromEntries(Object.entries(body).filter(([name]) => fields.includes(name)));
}
