// Ids that are chosen in the browser.

/** 32 hexadecimal digits. `randomUUID` exists on secure origins only. */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
