// Prepares text of the web for a prompt: what looks like a prompt mark becomes plain text.

/**
 * Names that agents and chat templates give to the parts of a prompt. A page that writes them wants to be taken for
 * one of these parts.
 */
const NAMES: ReadonlySet<string> = new Set([
  'system',
  'system_prompt',
  'instruction',
  'instructions',
  'user',
  'human',
  'person',
  'assistant',
  'ai',
  'model',
  'developer',
  'tool',
  'tools',
  'tool_call',
  'tool_calls',
  'tool_result',
  'tool_results',
  'tool_use',
  'function_call',
  'function_calls',
  'function_result',
  'function_results',
  'invoke',
  'parameter',
  'parameters',
  'memory',
  'summary',
  'think',
  'thinking',
  'thought',
  'reasoning',
  'role',
  'soul',
  'override',
  'context',
  'prompt',
  'current_uploads',
  'uploaded_files',
  'available_skills',
  'skill',
  'persona',
  'policy',
  'rule',
  'rules',
  'im_start',
  'im_end',
  'begin_of_text',
  'end_of_text',
  'start_header_id',
  'end_header_id',
  'eot_id',
  'start_of_turn',
  'end_of_turn',
  'endoftext',
  'inst',
  'sys',
]);

/** Captures the name up to its first `-`. */
const TAG = /<([\s/|]*(?:[a-z]+:)?)([a-z_]+)\b/gi;
const BRACKETS = /\[([\s/]*(?:INST|SYSTEM|SYS)\s*\])/gi;
// Invisible characters: the tag block, direction marks, zero-width spaces and joiners.
const UNSEEN = /[\u{e0000}-\u{e007f}\u200b\u2060-\u2064\u202a-\u202e\u2066-\u2069\ufeff]/gu;
const CONTROL = /(?![\t\n])\p{Cc}/gu;

/** Returns the text with such tags escaped (`&lt;system>`) and without invisible characters. */
export function webText(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(UNSEEN, '')
    .replace(CONTROL, '')
    .replace(TAG, (tag, before, name) => (NAMES.has(name.toLowerCase()) ? `&lt;${before}${name}` : tag))
    .replace(BRACKETS, '&#91;$1')
    .toWellFormed();
}
