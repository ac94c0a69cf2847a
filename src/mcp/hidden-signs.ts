// Signs that people do not see and models read: taken out of whatever a tool server says of itself.

/**
 * Tag characters and selectors of variants beyond those of emoji, marks of writing direction, signs of no width, and
 * control characters other than tabs and ends of lines.
 */
const HIDDEN = /\p{Default_Ignorable_Code_Point}|[\u202a-\u202e\u2066-\u2069]|(?![\n\t])\p{Cc}/gu;
/** Writing needs them: joiners between letters and signs, and the selector that makes a sign an emoji. */
const NEEDED: ReadonlySet<string> = new Set(['\u200c', '\u200d', '\ufe0f']);

export function withoutHidden(text: string): string {
  return text.toWellFormed().replace(HIDDEN, (sign) => (NEEDED.has(sign) ? sign : ''));
}
