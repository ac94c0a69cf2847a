// Says in an answer that another model than the chosen one wrote it, and why.
import { Shuffle } from 'lucide-react';
import type { ModelFallback } from './use-model-fallbacks.ts';
import { useModelNames } from './use-model-names.ts';

export function FallbackLines({ fallbacks }: { readonly fallbacks: readonly ModelFallback[] }) {
  const nameOf = useModelNames();
  return fallbacks.map(({ from, to, reason }) => (
    <p
      key={`${from} ${to}`}
      className="flex min-w-0 items-start gap-1.5 text-[0.8125rem] leading-snug text-muted-foreground"
    >
      <Shuffle aria-hidden className="mt-px size-3.5 shrink-0" />
      <span className="min-w-0 [overflow-wrap:anywhere]">
        {`${nameOf(to)} answers in the place of ${nameOf(from)}: ${reason}`}
      </span>
    </p>
  ));
}
