// What stands where the next words will be: that something is done, or what it waits for.
import { Hourglass } from 'lucide-react';
import { useCountdown } from '../auth/use-countdown.ts';
import type { ProviderPause } from './use-provider-pause.ts';

export function AnswerProgress({ pause }: { readonly pause: ProviderPause | undefined }) {
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
