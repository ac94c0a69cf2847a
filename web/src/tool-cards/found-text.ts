// What a call that looks has found, in two words.
import type { ToolCallView } from '../chat/message-view.ts';

/** Undefined where there is nothing to count. */
export function foundText({ name }: ToolCallView, result: string): string | undefined {
  const lines = result.split('\n').filter((line) => line !== '' && !line.startsWith('... [')).length;
  if (name === 'read_file') return result === '(empty)' ? 'empty' : counted(lines, 'line', 'lines');
  if (name === 'ls') return result === '(empty)' ? 'empty' : counted(lines, 'entry', 'entries');
  const found = /^Found (\d+)\b/.exec(result)?.[1];
  if (found !== undefined) return `${found} found`;
  return /^No \w+ matched/.test(result) ? 'nothing found' : undefined;
}

function counted(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`;
}
