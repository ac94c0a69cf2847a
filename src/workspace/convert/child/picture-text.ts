// What stands for a picture, whose bytes are not read. Pure.

/** Its description, where somebody gave it one; office programs make up some of several lines. */
export function pictureText(description: string, kind: 'Picture' | 'Chart' = 'Picture'): string {
  const words = description.replace(/\s+/g, ' ').trim();
  return words === '' ? `[${kind}]` : `[${kind}: ${words}]`;
}
