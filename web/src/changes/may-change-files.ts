// Whether what was said may have changed files, as far as its calls tell.
import type { Turn } from '../chat/turns.ts';

/** Tools that only look. Any other one may do anything. */
export const LOOKING: ReadonlySet<string> = new Set([
  'ls',
  'read_file',
  'glob',
  'grep',
  'view_image',
  'present_files',
  'ask_clarification',
  'web_fetch',
  'web_search',
]);

export function mayChangeFiles({ steps }: Turn): boolean {
  return steps.some(({ calls }) => calls.some(({ name }) => !LOOKING.has(name)));
}
