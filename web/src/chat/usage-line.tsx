// The quiet line under an answer that tells what it took.
import type { Run } from '../api/shapes.ts';
import { costText, tokensText } from '../usage/amounts.ts';
import { useTurnUsage } from './turn-usage.ts';
import type { Turn } from './turns.ts';

interface UsageLineProps {
  readonly turn: Turn;
  /** The newest run, where the turn is the one that it works on. */
  readonly latestRun: Run | undefined;
}

export function UsageLine({ turn, latestRun }: UsageLineProps) {
  const usage = useTurnUsage(
    turn.steps.map((step) => step.id),
    latestRun,
  );
  if (usage === undefined) return null;
  const parts = [`${tokensText(usage.tokens)} tokens`, costText(usage), usage.models.join(', ')];
  return (
    <p className="px-2 py-1 text-xs text-muted-foreground tabular-nums [overflow-wrap:anywhere]">
      <span className="sr-only">This answer took </span>
      {parts.filter(Boolean).join(' · ')}
    </p>
  );
}
