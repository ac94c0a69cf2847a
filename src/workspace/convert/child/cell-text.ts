// What a cell of a workbook holds, as text. Pure.

/** A day alone has no time. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Date) return value.toISOString().replace('T00:00:00.000Z', '').replace('.000Z', 'Z');
  return String(value);
}
