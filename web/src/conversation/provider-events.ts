// Events between the service and model providers while a reply is written: pauses and fallbacks.
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
  /** The id of the step after which the service reported the pause. */
  readonly after: string | undefined;
  /** Undefined when the run was not known at the time of the report. */
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
  /** Undefined while the run is unknown. */
  readonly runId: string | undefined;
}

/**
 * Collects the reported pauses. `pauseIn` returns the current pause, or undefined once the model produces
 * output.
 */
export function useProviderPause() {
  const [reported, setReported] = useState<ReportedPause>();
  const lastStep = useRef<string>(undefined);
  const lastRun = useRef<string>(undefined);
  return {
    /** Handles a custom event of a run. Ignores events about anything else. */
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

/**
 * Searches all turns: a page that joins a run may get the report before the message to which the run replies.
 */
function lastStepOf(turns: readonly Turn[]): string | undefined {
  return turns.findLast(({ steps }) => steps.length > 0)?.steps.at(-1)?.id;
}

/** Removes the advice to try again at the end of an error sentence, because the service already does that. */
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
  /** The id of the step after which the service reported the fallback. */
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

/** Collects the reported fallbacks for as long as the page shows the chat. */
export function useModelFallbacks() {
  const [reported, setReported] = useState<readonly ReportedFallback[]>([]);
  const lastStep = useRef<string>(undefined);
  return {
    /** Handles a custom event of a run. Ignores events about anything else. */
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

/**
 * Assigns each fallback to the turn of the next step, or to the last turn. Keeps each pair of models once per
 * turn.
 */
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
