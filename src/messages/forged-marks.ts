// Escapes marks in text from others, so that it cannot pass for the service's part of a prompt. Pure.

/** The marks that divide the service's prompts, and one that models take for the words of their operator. */
const OWN =
  /<(?=[\s/]{0,4}(?:uploaded_files|available_skills|active_skill|conversation_summary|previous_summary|administrator_instructions|thread_goal|agent_character|remembered_facts|background_task_result|system[-_]reminder)\b)/gi;
/** Marks of chat templates. Some model servers obey them wherever they occur. */
const TEMPLATE = /<(?=[|｜][^\s|｜<>]{1,32}[|｜]>|\/?(?:start|end)_of_turn>|<\/?SYS>>)/gi;
const BRACKET = /\[(?=\/?INST\])/g;
const RULE = /---(?=\s?(?:BEGIN|END) (?:USER|SYSTEM) INPUT\b)/gi;

/**
 * Returns the text with the first character of each such mark escaped as in HTML: `&lt;uploaded_files>`.
 * Returns a text without marks unchanged.
 */
export function withoutForgedMarks(text: string): string {
  // Searching for one character costs a hundredth of a regular expression that begins with it.
  const withoutTags = text.includes('<') ? text.replace(OWN, '&lt;').replace(TEMPLATE, '&lt;') : text;
  const withoutBrackets = withoutTags.includes('[') ? withoutTags.replace(BRACKET, '&#91;') : withoutTags;
  return withoutBrackets.includes('---') ? withoutBrackets.replace(RULE, '&#45;--') : withoutBrackets;
}

/** The first characters of marks, by their escaped form. */
const SIGNS: ReadonlyMap<string, string> = new Map([
  ['&lt;', '<'],
  ['&#91;', '['],
  ['&#45;', '-'],
]);
/** Characters; no mark is longer. */
const LONGEST_MARK = 64;

/** Returns the text that `withoutForgedMarks` was given. Other escaped characters stay as they are. */
export function withForgedMarks(text: string): string {
  return text.replace(/&(?:lt|#91|#45);/g, (written: string, at: number) => {
    const after = at + written.length;
    const mark = `${SIGNS.get(written)}${text.slice(after, after + LONGEST_MARK)}`;
    return withoutForgedMarks(mark).startsWith(written) ? mark.slice(0, 1) : written;
  });
}
