// What the streams of runs tell of models in whose place another one answered.
import { useRef, useState } from 'react';
import * as z from 'zod/mini';
import type { Turn } from './turns.ts';
import { lastStepOf, withoutAdvice } from './use-provider-pause.ts';

export interface ModelFallback {
  /** Names of models. */
  readonly from: string;
  readonly to: string;
  readonly reason: string;
}

interface ToldFallback {
  readonly fallback: ModelFallback;
  /** The step behind which it was told. */
  readonly after: string | undefined;
}

/** By the id of a turn: in which places of which models others answered. */
export type ModelFallbacks = ReadonlyMap<string, readonly ModelFallback[]>;

const eventSchema = z.object({
  type: z.literal('model_fallback'),
  from: z.string(),
  to: z.string(),
  reason: z.string(),
});
const NONE: ModelFallbacks = new Map();

/** Known as long as the page shows the chat. */
export function useModelFallbacks() {
  const [told, setTold] = useState<readonly ToldFallback[]>([]);
  const lastStep = useRef<string>(undefined);
  return {
    /** Takes a custom event of a run; those that tell nothing of fallbacks are passed over. */
    tell: (event: unknown) => {
      const { success, data } = z.safeParse(eventSchema, event);
      if (!success) return;
      const { from, to, reason } = data;
      const fallback = { from, to, reason: withoutAdvice(reason) };
      setTold((before) => [...before, { fallback, after: lastStep.current }]);
    },
    fallbacksIn: (turns: readonly Turn[]): ModelFallbacks => {
      lastStep.current = lastStepOf(turns);
      return told.length === 0 ? NONE : placed(told, turns);
    },
  };
}

/** Each pair of models once in a turn: the turn of the step that followed, or the last one. */
function placed(told: readonly ToldFallback[], turns: readonly Turn[]): ModelFallbacks {
  const steps = turns.flatMap((turn) => turn.steps.map(({ id }) => ({ id, turnId: turn.id })));
  const all = new Map<string, ModelFallback[]>();
  for (const { fallback, after } of told) {
    const next = steps[steps.findIndex(({ id }) => id === after) + 1];
    const turnId = next?.turnId ?? turns.at(-1)?.id;
    if (turnId === undefined) continue;
    const others = (all.get(turnId) ?? []).filter(
      ({ from, to }) => from !== fallback.from || to !== fallback.to,
    );
    all.set(turnId, [...others, fallback]);
  }
  return all;
}
