// The reply of the demo model: text, perhaps with reasoning before it and tool calls after it.
import type { JsonObject } from '../../messages/message.ts';

export interface DemoCall {
  readonly name: string;
  readonly args: JsonObject;
}

export interface DemoReply {
  readonly reasoning: string;
  readonly text: string;
  readonly calls: readonly DemoCall[];
}

export function say(text: string, reasoning = ''): DemoReply {
  return { reasoning, text, calls: [] };
}

export function callTools(text: string, ...calls: readonly DemoCall[]): DemoReply {
  return { reasoning: '', text, calls };
}

/** Returns a code block whose fence is longer than any fence inside. */
export function codeBlock(text: string, language = 'text'): string {
  const longest = (text.match(/`{3,}/g) ?? []).reduce((most, fence) => Math.max(most, fence.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/(?<!\n)\n+$/, '')}\n${fence}`;
}

export function quote(text: string): string {
  return text
    .trim()
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
}

export function shortened(text: string, limit: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= limit ? line : `${line.slice(0, limit - 1).trimEnd()}…`;
}
