// Reads values of unknown type in a response.

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns 0 for a value that is not a number. */
export function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
