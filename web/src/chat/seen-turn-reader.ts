// Keeps what was seen of an answer on the screen while the service, started again, writes it anew.
import type { AiView } from './message-view.ts';
import { createTurnReader, type Turn } from './turns.ts';

interface Seen {
  readonly turnId: string;
  /** The place of the step in its turn. */
  readonly index: number;
  readonly step: AiView;
}

/**
 * A reader of message lists as `createTurnReader` makes one. A step that is gone or says less than it did stays as it was seen until it
 * says more, another one follows it, or nothing is being answered.
 */
export function createSeenTurnReader(): (
  messages: readonly unknown[],
  isAnswering: boolean,
) => readonly Turn[] {
  const read = createTurnReader();
  /** Steps of answers that were complete: whoever has them written anew does not want to see them. */
  let settled: ReadonlySet<string> = new Set();
  let seen: Seen | undefined;
  return (messages, isAnswering) => {
    const turns = read(messages);
    const last = turns.at(-1);
    if (!isAnswering || last === undefined) {
      settled = new Set(last?.steps.map(({ id }) => id));
      seen = undefined;
      return turns;
    }
    if (seen !== undefined && saysLess(last, seen)) {
      const steps = [...last.steps.slice(0, seen.index), seen.step];
      return [...turns.slice(0, -1), { ...last, steps, isWrittenAnew: true }];
    }
    const step = last.steps.at(-1);
    seen =
      step === undefined || settled.has(step.id)
        ? undefined
        : { turnId: last.id, index: last.steps.length - 1, step };
    return turns;
  };
}

function saysLess(turn: Turn, { turnId, index, step }: Seen): boolean {
  if (turn.id !== turnId || turn.steps.length > index + 1) return false;
  const now = turn.steps[index];
  if (now === undefined) return true;
  return now.id === step.id && now.calls.length === 0 && now.text.length < step.text.length;
}
