// Keeps the reply on the screen while a restarted service writes it again.
import type { AiView } from './message-view.ts';
import { createTurnReader, type Turn } from './turns.ts';

/** The newest step of a reply, as it was shown. */
export interface Seen {
  readonly threadId: string | undefined;
  /** The conversation that contains the step. */
  readonly turns: readonly Turn[];
  readonly turnId: string;
  /** The index of the step in its turn. */
  readonly index: number;
  readonly step: AiView;
}

export interface Progress {
  /** Undefined in a new chat. */
  readonly threadId: string | undefined;
  readonly isReplying: boolean;
  /**
   * True when a reply is about to be read: the conversation is opening, or its run is known and not read yet.
   */
  readonly isComing: boolean;
}

/**
 * Creates a reader of message lists, as `createTurnReader` does. A step that is gone or has less text than
 * before stays as it was shown until it has more text, another step follows, or the reply ends. `kept`
 * outlives the reader: while the next reader loads the thread, the whole conversation stays as it was shown.
 */
export function createSeenTurnReader(kept: {
  current: Seen | undefined;
}): (messages: readonly unknown[], progress: Progress) => readonly Turn[] {
  const read = createTurnReader();
  /** Steps of complete replies. When such a reply is regenerated, the old text must not stay. */
  let settled: ReadonlySet<string> = new Set();
  return (messages, { threadId, isReplying, isComing }) => {
    const turns = read(messages);
    const last = turns.at(-1);
    if (!isReplying && !isComing) {
      settled = new Set(last?.steps.map(({ id }) => id));
      kept.current = undefined;
    }
    const seen = ofThread(kept.current, threadId);
    if (last === undefined) return seen?.turns ?? turns;
    if (seen !== undefined && saysLess(last, seen)) return withSeen(turns, last, seen);
    if (isReplying) kept.current = newestOf({ threadId, turns, last, settled });
    return turns;
  };
}

function ofThread(seen: Seen | undefined, threadId: string | undefined): Seen | undefined {
  return seen?.threadId === threadId ? seen : undefined;
}

function withSeen(turns: readonly Turn[], last: Turn, { index, step }: Seen): readonly Turn[] {
  const steps = [...last.steps.slice(0, index), step];
  return [...turns.slice(0, -1), { ...last, steps, isWrittenAnew: true }];
}

interface Shown extends Pick<Seen, 'threadId' | 'turns'> {
  readonly last: Turn;
  readonly settled: ReadonlySet<string>;
}

function newestOf({ last, settled, ...shown }: Shown): Seen | undefined {
  const step = last.steps.at(-1);
  if (step === undefined || settled.has(step.id)) return undefined;
  return { ...shown, turnId: last.id, index: last.steps.length - 1, step };
}

function saysLess(turn: Turn, { turnId, index, step }: Seen): boolean {
  if (turn.id !== turnId || turn.steps.length > index + 1) return false;
  const now = turn.steps[index];
  if (now === undefined) return true;
  return now.id === step.id && now.calls.length === 0 && now.text.length < step.text.length;
}
