// The paths of a call of `present_files`.
import type { ToolCallView } from '../chat/message-view.ts';

/** Each once, in their order. */
export function presentedPaths({ args }: ToolCallView): readonly string[] {
  return Array.isArray(args.filepaths)
    ? [...new Set(args.filepaths.filter((it) => typeof it === 'string'))]
    : [];
}
