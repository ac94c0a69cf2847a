// The stream of a run as most tests read it.
import type { TestFrame } from './sse.ts';

export const MODES = ['values', 'messages-tuple', 'updates', 'custom'];

/** The data of a `messages` frame. */
export type MessageTuple = [
  { readonly id: string; readonly type: string; readonly content: string; readonly role: string },
  { readonly langgraph_node: string; readonly run_id: string },
];

/** Returns the id of the run from its first frame. */
export function runOf([metadata]: readonly TestFrame[]): string {
  const data = metadata?.data as { run_id: string } | undefined;
  return data?.run_id ?? '';
}
