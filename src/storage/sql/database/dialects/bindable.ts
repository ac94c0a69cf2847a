// What both databases can store in a text column: Postgres refuses NUL, so neither gets it.

/** The value with NUL replaced by U+FFFD. JSON texts are never touched: they escape it. */
export function bindable<T>(value: T): T | string {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value;
}
