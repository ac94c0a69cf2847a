// Keeps what was seen of an answer on the screen while the service, started again, writes it anew.
import type { AiView } from './message-view.ts';
import { createTurnReader, type Turn } from './turns.ts';

/** The newest step of an answer, as far as it was seen. */
export interface Seen {
  readonly turnId: string;
  /** The place of the step in its turn. */
  readonly index: number;
  readonly step: AiView;
}

interface Progress {
  readonly isAnswering: boolean;
  /** What is answered is about to be read: the conversation opens, or its run is known and not read yet. */
  readonly isComing: boolean;
}

/**
 * A reader of message lists as `createTurnReader` makes one. A step that is gone or says less than it did stays as it was seen until it
 * says more, another one follows it, or nothing is being answered. `kept` outlives the reader, for one that comes after it.
 */
export function createSeenTurnReader(kept: {
  current: Seen | undefined;
}): (messages: readonly unknown[], progress: Progress) => readonly Turn[] {
  const read = createTurnReader();
  /** Steps of answers that were complete: whoever has them written anew does not want to see them. */
  let settled: ReadonlySet<string> = new Set();
  return (messages, { isAnswering, isComing }) => {
    const turns = read(messages);
    const last = turns.at(-1);
    if (!isAnswering && !isComing) {
      settled = new Set(last?.steps.map(({ id }) => id));
      kept.current = undefined;
    }
    if (last === undefined) return turns;
    const seen = kept.current;
    if (seen !== undefined && saysLess(last, seen)) {
      const steps = [...last.steps.slice(0, seen.index), seen.step];
      return [...turns.slice(0, -1), { ...last, steps, isWrittenAnew: true }];
    }
    if (!isAnswering) return turns;
    kept.current = newestOf(last, settled);
    return turns;
  };
}

function newestOf({ id, steps }: Turn, settled: ReadonlySet<string>): Seen | undefined {
  const step = steps.at(-1);
  if (step === undefined || settled.has(step.id)) return undefined;
  return { turnId: id, index: steps.length - 1, step };
}

function saysLess(turn: Turn, { turnId, index, step }: Seen): boolean {
  if (turn.id !== turnId || turn.steps.length > index + 1) return false;
  const now = turn.steps[index];
  if (now === undefined) return true;
  return now.id === step.id && now.calls.length === 0 && now.text.length < step.text.length;
}
