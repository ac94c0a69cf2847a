// The output of a terminal as plain text.

/** Colours, movements of the cursor, titles of windows. */
const ESCAPES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;

/** Leaves out what a terminal would not show, and of a line that was written over, what was there before. */
export function plainOutput(text: string): string {
  const shown = text.replace(ESCAPES, '').replaceAll('\r\n', '\n');
  if (!shown.includes('\r')) return shown;
  return shown
    .split('\n')
    .map((line) => line.split('\r').findLast((part) => part !== '') ?? '')
    .join('\n');
}
