// What the person said last, and nobody answered yet. Pure.
import type { HumanMessage, Message } from '../messages/message.ts';
import type { ThreadState } from '../messages/thread-state.ts';
import { isFromPerson } from './compaction/thread-view.ts';

/** `undefined` once the agent has said something to it. */
export function newQuestion({ messages }: ThreadState): HumanMessage | undefined {
  const last = messages.findLastIndex(isReply);
  return messages.slice(last + 1).findLast(isFromPerson);
}

function isReply({ type }: Message): boolean {
  return type === 'ai' || type === 'tool';
}
