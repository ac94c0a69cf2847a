// Times on the wire: ISO 8601 in UTC with offset and milliseconds.

export function timestamp(epochMilliseconds: number): string {
  return new Date(epochMilliseconds).toISOString().replace('Z', '+00:00');
}
