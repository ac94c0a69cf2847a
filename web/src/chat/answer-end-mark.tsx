// Says under an answer that it is not whole; a complete one needs no word.
import { CircleDashed, CircleSlash, CircleStop, Scissors, TriangleAlert } from 'lucide-react';
import { type AnswerEnd, endText } from './answer-end.ts';

const ICONS = {
  empty: CircleDashed,
  stopped: CircleStop,
  cut: Scissors,
  passed: CircleSlash,
  failed: TriangleAlert,
} as const;

export function AnswerEndMark({ end }: { readonly end: AnswerEnd | undefined }) {
  if (end === undefined || end.kind === 'complete') return null;
  const Icon = ICONS[end.kind];
  return (
    <p
      data-answer-end={end.kind}
      className="flex min-w-0 items-start gap-1.5 text-[0.8125rem] leading-snug text-muted-foreground"
    >
      <Icon aria-hidden className="mt-px size-3.5 shrink-0" />
      <span className="min-w-0 [overflow-wrap:anywhere]">{endText(end)}</span>
    </p>
  );
}
