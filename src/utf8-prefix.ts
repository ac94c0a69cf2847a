// Cuts a text to a number of bytes.

/** Returns the longest beginning that takes at most so many bytes of UTF-8, without parts of characters. */
export function utf8Prefix(text: string, maxBytes: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes));
  return text.slice(0, read).toWellFormed();
}
