// What a turn is made of on the screen: steps, and work that is done and folded.
import type { AiView } from './message-view.ts';
import { isSubagentCall } from './subagent.ts';
import type { Turn } from './turns.ts';

export type TurnPart =
  | { readonly kind: 'step'; readonly step: AiView }
  | { readonly kind: 'work'; readonly steps: readonly AiView[]; readonly calls: number };

/** What is said beside a call in more words than these is read, and stays. */
const MOST_REMARKED_CHARACTERS = 240;
/** One card is as long as the line that would stand for it. */
const FEWEST_FOLDED_CALLS = 2;

/** What failed, waits, asks, or shows a result stays a step; the newest step does until another one follows. */
export function turnParts({ steps, results }: Turn): readonly TurnPart[] {
  const parts: TurnPart[] = [];
  let work: AiView[] = [];
  const fold = () => {
    const calls = work.reduce((sum, step) => sum + step.calls.length, 0);
    if (calls >= FEWEST_FOLDED_CALLS) parts.push({ kind: 'work', steps: work, calls });
    else parts.push(...work.map((step): TurnPart => ({ kind: 'step', step })));
    work = [];
  };
  const isDone = ({ text, calls }: AiView): boolean =>
    calls.length > 0 &&
    text.length <= MOST_REMARKED_CHARACTERS &&
    calls.every((call) => {
      const result = results.get(call.id);
      if (isSubagentCall(call) || call.name === 'present_files') return false;
      return result?.status === 'success' && result.question === undefined;
    });
  for (const step of steps) {
    if (step !== steps.at(-1) && isDone(step)) {
      work.push(step);
      continue;
    }
    fold();
    parts.push({ kind: 'step', step });
  }
  fold();
  return parts;
}
