// Where a thread is cut in two: what a summary stands for, and what stays as it was said.
import type { Message } from '../../messages/message.ts';
import { messageTokens } from './prompt-size.ts';
import { isFromPerson } from './thread-view.ts';

export interface CutLimits {
  /** Messages that an earlier summary stands for already. */
  readonly from: number;
  /** What may stay, in tokens. */
  readonly keepTokens: number;
  /** Whether the newest step may go as well when it alone is larger than that. */
  readonly sparesNothing: boolean;
}

/**
 * How many messages the summary is to stand for; `undefined` when that would be none beyond `from`. A call is never
 * parted from its results, and the newest words of the person are not summarised while they wait for an answer.
 */
export function cutPoint(
  messages: readonly Message[],
  { from, keepTokens, sparesNothing }: CutLimits,
): number | undefined {
  let cut = messages.length;
  let tokens = 0;
  for (const start of stepStarts(messages, from)) {
    tokens += weightBetween(messages, start, cut);
    const isNewest = cut === messages.length;
    const mustStay = isNewest && (!sparesNothing || isUnresolved(messages, start));
    if (tokens > keepTokens && !mustStay) break;
    cut = start;
  }
  return cut > from ? cut : undefined;
}

/** The positions at which the thread may be cut, newest first. */
function* stepStarts(messages: readonly Message[], from: number): Generator<number> {
  let hasResults = false;
  for (let index = messages.length - 1; index >= from; index--) {
    const type = messages[index]?.type;
    // Results that came late, behind words of the person, belong to the call before those.
    if (type === 'ai' || (type !== 'tool' && !hasResults)) yield index;
    hasResults = type === 'tool' || (hasResults && type !== 'ai');
  }
}

function isUnresolved(messages: readonly Message[], start: number): boolean {
  return messages.slice(start).some(isFromPerson);
}

function weightBetween(messages: readonly Message[], start: number, end: number): number {
  let tokens = 0;
  for (const message of messages.slice(start, end)) tokens += messageTokens(message);
  return tokens;
}
