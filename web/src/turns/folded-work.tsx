// The parts of a turn on the screen: steps, and finished work that is folded.
import { Check, ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import type { RunUsage } from '../api/shapes.ts';
import type { AiView } from '../conversation/message-view.ts';
import { isSubagentCall } from '../conversation/subagents.ts';
import type { Turn } from '../conversation/turns.ts';
import { durationText } from '../usage/amounts.ts';

export type TurnPart =
  | { readonly kind: 'step'; readonly step: AiView }
  | { readonly kind: 'work'; readonly steps: readonly AiView[]; readonly calls: number };

/** A step with a longer text is worth reading and is not folded. */
const MOST_REMARKED_CHARACTERS = 240;
/** Folding a single card would save nothing. */
const FEWEST_FOLDED_CALLS = 2;

/**
 * Returns the parts of a turn. A step that failed, waits, asks or shows a result is not folded, nor is the
 * newest step until another one follows.
 */
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

interface FoldedWorkProps {
  /** The number of tool calls. */
  readonly calls: number;
  /** All runs that worked on the reply. Empty when only a part of it is folded. */
  readonly runs: readonly RunUsage[];
  readonly children: ReactNode;
}

export function FoldedWork({ calls, runs, children }: FoldedWorkProps) {
  const took = durationOf(runs);
  return (
    <details className="group/work min-w-0" data-folded-work={calls}>
      <summary className="-ml-1.5 flex w-fit max-w-full cursor-pointer list-none items-center gap-1.5 rounded-md px-1.5 py-1 text-sm text-muted-foreground tabular-nums hover:text-foreground pointer-coarse:py-2.5 [&::-webkit-details-marker]:hidden">
        <Check aria-hidden className="size-4 shrink-0 text-success" />
        <span>
          {calls} steps{took !== undefined && `, ${durationText(took)}`}
        </span>
        <ChevronRight
          aria-hidden
          className="size-4 shrink-0 transition-transform group-open/work:rotate-90"
        />
      </summary>
      <div className="mt-3 grid min-w-0 gap-3 border-l-2 border-border pl-3 sm:pl-4">{children}</div>
    </details>
  );
}

/** Returns milliseconds of work, without the time spent waiting for a person. */
function durationOf(runs: readonly RunUsage[]): number | undefined {
  const times = runs.map(({ started_at: start, finished_at: end }) =>
    start == null || end == null ? Number.NaN : Date.parse(end) - Date.parse(start),
  );
  const sum = times.reduce((total, it) => total + it, 0);
  return times.length > 0 && sum >= 0 ? sum : undefined;
}
