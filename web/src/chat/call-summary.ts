// A call in a few words.
import type { ToolCallView } from './message-view.ts';

const TELLING = ['path', 'file_path', 'description', 'query', 'command', 'url', 'question'];

/** The one argument that says the most. */
export function callSummary({ args }: ToolCallView): string {
  const path = args.path ?? args.file_path;
  if (typeof path === 'string') return path;
  const named = TELLING.map((name) => args[name]).find((value) => typeof value === 'string');
  const any = named ?? Object.values(args).find((value) => typeof value === 'string');
  return typeof any === 'string' ? any : '';
}
