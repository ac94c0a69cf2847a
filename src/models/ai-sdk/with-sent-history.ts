// Prompts of long threads: what was sent before is sent again as the same bytes, only what is new is converted.
import type { LanguageModelV4Message } from '@ai-sdk/provider';
import type { Message } from '../../messages/message.ts';
import { type Converted, instructions, type ToPrompt } from './prompt-shape.ts';
import { isAnswer } from './quirks/empty-content.ts';
import { words } from './quirks/message-order.ts';
import type { ProviderQuirks } from './quirks/quirks.ts';
import {
  cutAtMarks,
  grown,
  MARK,
  NO_BYTES,
  SentHistories,
  type SentHistory,
  viewOf,
} from './sent-history.ts';

/** Shorter threads are converted faster than they are remembered. */
const FEWEST_MESSAGES = 16;
/** Of a thread with more, what comes after them is made anew: images weigh more than words. */
const MOST_BYTES = 16_777_216;

interface SentHistoryParts {
  readonly convert: (messages: readonly Message[]) => Converted;
  /** Makes the prompts of which nothing is kept. */
  readonly whole: ToPrompt;
  readonly quirks: Pick<ProviderQuirks, 'neighbours' | 'beginning' | 'end'>;
}

/** Only for packages that make the same of a message whatever stands before and after it. */
export function withSentHistory({ convert, whole, quirks }: SentHistoryParts): ToPrompt {
  const histories = new SentHistories();
  return (request) => {
    const { messages } = request;
    const count = keptCount(messages);
    if (count === 0) return whole(request);
    const known = histories.beginningOf(messages, count);
    const added = convert(messages.slice(known?.count ?? 0, count));
    const rest = convert(messages.slice(count));
    const older = known === undefined ? quirks.beginning(added.prompt, undefined) : added.prompt;
    const isKept = isKeptBeforeAnswer(older) && hasRoom(known);
    if (known === undefined && !isKept) return whole(request);
    const newer = isKept
      ? [...older, mark, ...rest.prompt]
      : quirks.neighbours([...older, ...rest.prompt], undefined);
    const system = [...(known?.system ?? []), ...added.system];
    return {
      prompt: [
        ...instructions([request.system, ...system, ...rest.system]),
        mark,
        ...quirks.end(newer, undefined),
      ],
      toBody: bodyMaker(known, isKept, (text) => {
        const bytes = grown(known?.bytes ?? NO_BYTES, text);
        return histories.keep({ messages, count, system, bytes });
      }),
    };
  };
}

const mark = words(MARK);

/** An answer before another one becomes one with it. */
function isKeptBeforeAnswer(older: readonly LanguageModelV4Message[]): boolean {
  const last = older.at(-1);
  return last !== undefined && last.role !== 'assistant';
}

function hasRoom(known: SentHistory | undefined): boolean {
  return known === undefined || known.bytes.length < MOST_BYTES;
}

/** The same prompt may be sent several times, and is kept once. */
function bodyMaker(
  known: SentHistory | undefined,
  isKept: boolean,
  keep: (text: string) => SentHistory,
): (made: string) => readonly Uint8Array[] {
  let history = known;
  return (made) => {
    const { head, added, rest } = cutAtMarks(made, isKept ? 2 : 1);
    if (history === known && added !== undefined) history = keep(added);
    return [Buffer.from(head), viewOf(history?.bytes ?? NO_BYTES), Buffer.from(rest)];
  };
}

/**
 * How many messages are followed by nothing that could change what is sent of them: those before the newest answer,
 * up to which results are looked for.
 */
function keptCount(messages: readonly Message[]): number {
  if (messages.length < FEWEST_MESSAGES) return 0;
  const newest = messages.findLastIndex(({ type }) => type === 'ai');
  return isAnswer(messages[newest]) ? newest : 0;
}
