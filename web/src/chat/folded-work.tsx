// Work that is done, in one line that opens. The browser's own fold: a search in the page looks into it.
import { Check, ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import type { RunUsage } from '../api/shapes.ts';
import { durationText } from '../usage/amounts.ts';

interface FoldedWorkProps {
  /** How many tools were called. */
  readonly calls: number;
  /** All that worked on the answer; none where the line stands for a part of it. */
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

/** Milliseconds that were worked; the time in which a person was waited for is none of it. */
function durationOf(runs: readonly RunUsage[]): number | undefined {
  const times = runs.map(({ started_at: start, finished_at: end }) =>
    start == null || end == null ? Number.NaN : Date.parse(end) - Date.parse(start),
  );
  const sum = times.reduce((total, it) => total + it, 0);
  return times.length > 0 && sum >= 0 ? sum : undefined;
}
