// Text that others wrote, made unable to pass for a part of a prompt that only the service writes. Pure.

/** The marks with which the service parts its prompts, and one that models know for words of whoever runs them. */
const OWN =
  /<(?=[\s/]{0,4}(?:uploaded_files|available_skills|active_skill|conversation_summary|previous_summary|administrator_instructions|thread_goal|agent_character|remembered_facts|background_task_result|system[-_]reminder)\b)/gi;
/** Marks of chat templates: some servers of models take them for what they say, wherever they stand. */
const TEMPLATE = /<(?=[|｜][^\s|｜<>]{1,32}[|｜]>|\/?(?:start|end)_of_turn>|<\/?SYS>>)/gi;
const BRACKET = /\[(?=\/?INST\])/g;
const RULE = /---(?=\s?(?:BEGIN|END) (?:USER|SYSTEM) INPUT\b)/gi;

/**
 * The same text, with the first sign of each such mark written as HTML writes it: `&lt;uploaded_files>`. A text without
 * any comes back as it is.
 */
export function withoutForgedMarks(text: string): string {
  // Looking for a sign costs a hundredth of an expression that begins with it.
  const withoutTags = text.includes('<') ? text.replace(OWN, '&lt;').replace(TEMPLATE, '&lt;') : text;
  const withoutBrackets = withoutTags.includes('[') ? withoutTags.replace(BRACKET, '&#91;') : withoutTags;
  return withoutBrackets.includes('---') ? withoutBrackets.replace(RULE, '&#45;--') : withoutBrackets;
}

/** How the first sign of a mark is written, and the sign. */
const SIGNS: ReadonlyMap<string, string> = new Map([
  ['&lt;', '<'],
  ['&#91;', '['],
  ['&#45;', '-'],
]);
/** Characters; no mark is longer. */
const LONGEST_MARK = 64;

/** What `withoutForgedMarks` made the text from: no other sign that is written as in HTML changes. */
export function withForgedMarks(text: string): string {
  return text.replace(/&(?:lt|#91|#45);/g, (written: string, at: number) => {
    const after = at + written.length;
    const mark = `${SIGNS.get(written)}${text.slice(after, after + LONGEST_MARK)}`;
    return withoutForgedMarks(mark).startsWith(written) ? mark.slice(0, 1) : written;
  });
}
