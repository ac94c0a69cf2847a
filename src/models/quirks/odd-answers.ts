// What answers say in ways of their own: ids of calls, arguments, reasons of their ends, counts of tokens.
import type { ToolCall } from '../../messages/message.ts';
import type { ModelFinish } from '../model.ts';

export interface CallPlace {
  /** Among the calls of the answer. */
  readonly index: number;
  /** Another call of the thread has it. */
  readonly isTaken: (id: string) => boolean;
}

export function missingId(id: string, { index }: CallPlace): string {
  return id.trim() === '' ? `call_${index}` : id;
}

/** Some servers count their calls from zero in every answer; results are found by id, so ids must differ in a thread. */
export function repeatedId(wanted: string, { isTaken }: CallPlace): string {
  let id = wanted;
  for (let suffix = 1; isTaken(id); suffix += 1) id = `${wanted}_${suffix}`;
  return id;
}

/** A tool without parameters is called with nothing at all by some providers. */
export function noArguments(text: string): string {
  return text.trim() === '' ? '{}' : text;
}

/** Providers say `stop` after calls: the calls themselves are the truth. */
export function finishOfCalls(
  reason: ModelFinish['finishReason'],
  calls: readonly ToolCall[],
): ModelFinish['finishReason'] {
  return calls.length > 0 ? 'tool_calls' : reason;
}

const MOST_TOKENS = 1_000_000_000;

/** Servers count in fractions, below nothing and beyond all sense; sums and prices need whole numbers. */
export function wholeTokens(count: number): number {
  return Math.min(Math.max(0, Math.trunc(count)) || 0, MOST_TOKENS);
}
