// What both databases can store in a text column: Postgres refuses NUL, so neither gets it.

/** The parameters with NUL replaced by U+FFFD. JSON texts never contain it: they escape it. */
export function bindable(parameters: readonly unknown[]): readonly unknown[] {
  return parameters.some(hasNul) ? parameters.map(withoutNul) : parameters;
}

function hasNul(value: unknown): boolean {
  return typeof value === 'string' && value.includes('\0');
}

function withoutNul(value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll('\0', '\ufffd') : value;
}
