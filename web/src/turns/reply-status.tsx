// The status of a reply: what it waits for, how it ended, and which fallback wrote it.
import {
  CircleDashed,
  CircleSlash,
  CircleStop,
  Hourglass,
  Scissors,
  Shuffle,
  TriangleAlert,
} from 'lucide-react';
import type { ModelFallback, ProviderPause } from '../conversation/provider-events.ts';
import { endText, type ReplyEnd } from '../conversation/reply-end.ts';
import { useCountdown } from '../ui/use-now.ts';
import { useModelNames } from '../usage/amounts.ts';

export function ReplyProgress({ pause }: { readonly pause: ProviderPause | undefined }) {
  return pause === undefined ? <Dots /> : <Pause pause={pause} />;
}

function Pause({ pause }: { readonly pause: ProviderPause }) {
  const left = useCountdown(pause);
  const when = left === 0 ? 'Trying again now' : `Trying again in ${left} s`;
  return (
    <div className="flex min-w-0 items-start gap-2 text-sm text-muted-foreground">
      <Hourglass aria-hidden className="mt-0.5 size-4 shrink-0" />
      <p className="min-w-0 [overflow-wrap:anywhere]">
        <span role="status">{pause.reason}</span>{' '}
        <span className="tabular-nums">
          {when} (attempt {pause.attempt} of {pause.attempts}).
        </span>
      </p>
    </div>
  );
}

function Dots() {
  return (
    <div aria-hidden className="flex h-7 items-center gap-1.5">
      {[0, 180, 360].map((delay) => (
        <span
          key={delay}
          className="size-1.5 animate-[breathe_1.2s_ease-in-out_infinite] rounded-full bg-muted-foreground"
          style={{ animationDelay: `${delay}ms` }}
        />
      ))}
    </div>
  );
}

const ICONS = {
  empty: CircleDashed,
  stopped: CircleStop,
  cut: Scissors,
  passed: CircleSlash,
  failed: TriangleAlert,
} as const;

export function ReplyEndMark({ end }: { readonly end: ReplyEnd | undefined }) {
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

export function FallbackNotes({ fallbacks }: { readonly fallbacks: readonly ModelFallback[] }) {
  const nameOf = useModelNames();
  return fallbacks.map(({ from, to, reason }) => (
    <p
      key={`${from} ${to}`}
      className="flex min-w-0 items-start gap-1.5 text-[0.8125rem] leading-snug text-muted-foreground"
    >
      <Shuffle aria-hidden className="mt-px size-3.5 shrink-0" />
      <span className="min-w-0 [overflow-wrap:anywhere]">
        {`${nameOf(to)} answers in place of ${nameOf(from)}: ${reason}`}
      </span>
    </p>
  ));
}
