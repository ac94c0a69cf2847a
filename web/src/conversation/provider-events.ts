// What happens between the service and model providers while an answer is written: pauses and fallbacks.
import { useRef, useState } from 'react';
import * as z from 'zod/mini';
import type { Turn } from './turns.ts';

export interface ProviderPause {
  /** Time until the next attempt, counted from the report. */
  readonly seconds: number;
  /** The number of the next attempt. */
  readonly attempt: number;
  readonly attempts: number;
  readonly reason: string;
}

interface ReportedPause {
  readonly pause: ProviderPause;
  /** The step after which it was reported. */
  readonly after: string | undefined;
  /** Undefined when it was not known yet. */
  readonly runId: string | undefined;
}

const pauseSchema = z.object({
  type: z.literal('llm_retry'),
  attempt: z.number(),
  max_attempts: z.number(),
  wait_ms: z.number(),
  reason: z.string(),
});

interface UnderWay {
  readonly isBusy: boolean;
  /** Undefined while it is not known. */
  readonly runId: string | undefined;
}

/** `pauseIn` returns the current pause; undefined once the model produces output. */
export function useProviderPause() {
  const [reported, setReported] = useState<ReportedPause>();
  const lastStep = useRef<string>(undefined);
  const lastRun = useRef<string>(undefined);
  return {
    /** Takes a custom event of a run; ignores events about anything else. */
    onEvent: (event: unknown) => {
      const { success, data } = z.safeParse(pauseSchema, event);
      if (!success) return;
      const { attempt, max_attempts: attempts, wait_ms: waitMs, reason } = data;
      setReported({
        pause: { seconds: Math.ceil(waitMs / 1_000), attempt, attempts, reason: withoutAdvice(reason) },
        after: lastStep.current,
        runId: lastRun.current,
      });
    },
    pauseIn: (turns: readonly Turn[], { isBusy, runId }: UnderWay): ProviderPause | undefined => {
      lastStep.current = lastStepOf(turns);
      lastRun.current = runId;
      if (reported === undefined) return undefined;
      if (!isBusy) setReported(undefined);
      const isOfRun = reported.runId === undefined || runId === undefined || reported.runId === runId;
      return isBusy && isOfRun && reported.after === lastStep.current ? reported.pause : undefined;
    },
  };
}

/** A page that joins a run may get the report before the message that the run answers. */
function lastStepOf(turns: readonly Turn[]): string | undefined {
  return turns.findLast(({ steps }) => steps.length > 0)?.steps.at(-1)?.id;
}

/** Error sentences end with advice to try again, which is being done already. */
function withoutAdvice(reason: string): string {
  const start = reason.lastIndexOf(' Try again');
  return start < 1 ? reason : reason.slice(0, start);
}

export interface ModelFallback {
  /** Names of models. */
  readonly from: string;
  readonly to: string;
  readonly reason: string;
}

interface ReportedFallback {
  readonly fallback: ModelFallback;
  /** The step after which it was reported. */
  readonly after: string | undefined;
}

/** The fallbacks of each turn, keyed by its id. */
export type ModelFallbacks = ReadonlyMap<string, readonly ModelFallback[]>;

const fallbackSchema = z.object({
  type: z.literal('model_fallback'),
  from: z.string(),
  to: z.string(),
  reason: z.string(),
});
const NONE: ModelFallbacks = new Map();

/** Kept as long as the page shows the chat. */
export function useModelFallbacks() {
  const [reported, setReported] = useState<readonly ReportedFallback[]>([]);
  const lastStep = useRef<string>(undefined);
  return {
    /** Takes a custom event of a run; ignores events about anything else. */
    onEvent: (event: unknown) => {
      const { success, data } = z.safeParse(fallbackSchema, event);
      if (!success) return;
      const { from, to, reason } = data;
      const fallback = { from, to, reason: withoutAdvice(reason) };
      setReported((before) => [...before, { fallback, after: lastStep.current }]);
    },
    fallbacksIn: (turns: readonly Turn[]): ModelFallbacks => {
      lastStep.current = lastStepOf(turns);
      return reported.length === 0 ? NONE : placed(reported, turns);
    },
  };
}

/** Each pair of models once per turn: the turn of the next step, or the last turn. */
function placed(reported: readonly ReportedFallback[], turns: readonly Turn[]): ModelFallbacks {
  const steps = turns.flatMap((turn) => turn.steps.map(({ id }) => ({ id, turnId: turn.id })));
  const all = new Map<string, ModelFallback[]>();
  for (const { fallback, after } of reported) {
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
