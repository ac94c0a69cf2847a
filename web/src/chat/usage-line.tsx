// The quiet line under an answer that tells what it took.
import type { RunUsage } from '../api/shapes.ts';
import { costText, tokensText } from '../usage/amounts.ts';
import { turnUsage } from './turn-usage.ts';
import { useModelNames } from './use-model-names.ts';

interface UsageLineProps {
  /** All that worked on the answer. */
  readonly runs: readonly RunUsage[];
}

export function UsageLine({ runs }: UsageLineProps) {
  const nameOf = useModelNames();
  const usage = turnUsage(runs);
  if (usage === undefined) return null;
  const parts = [`${tokensText(usage.tokens)} tokens`, costText(usage), usage.models.map(nameOf).join(', ')];
  return (
    <p className="px-2 py-1 text-xs text-muted-foreground tabular-nums [overflow-wrap:anywhere]">
      <span className="sr-only">This answer took </span>
      {parts.filter(Boolean).join(' · ')}
    </p>
  );
}
