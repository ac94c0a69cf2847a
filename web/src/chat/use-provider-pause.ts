// What the stream of a run tells of a model that has to be asked again.
import { useRef, useState } from 'react';
import * as z from 'zod/mini';
import type { Turn } from './turns.ts';

export interface ProviderPause {
  /** Until the model is asked again, from the moment in which this was told. */
  readonly seconds: number;
  /** The number of the next attempt. */
  readonly attempt: number;
  readonly attempts: number;
  readonly reason: string;
}

interface ToldPause {
  readonly pause: ProviderPause;
  /** The step behind which it was told. */
  readonly after: string | undefined;
  /** Undefined where it was not known yet. */
  readonly runId: string | undefined;
}

const eventSchema = z.object({
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

/** `pauseIn` gives the pause of what is under way; undefined once the model says something. */
export function useProviderPause() {
  const [told, setTold] = useState<ToldPause>();
  const lastStep = useRef<string>(undefined);
  const lastRun = useRef<string>(undefined);
  return {
    /** Takes a custom event of a run; those that tell nothing of pauses are passed over. */
    tell: (event: unknown) => {
      const { success, data } = z.safeParse(eventSchema, event);
      if (!success) return;
      const { attempt, max_attempts: attempts, wait_ms: waitMs, reason } = data;
      setTold({
        pause: { seconds: Math.ceil(waitMs / 1_000), attempt, attempts, reason: withoutAdvice(reason) },
        after: lastStep.current,
        runId: lastRun.current,
      });
    },
    pauseIn: (turns: readonly Turn[], { isBusy, runId }: UnderWay): ProviderPause | undefined => {
      lastStep.current = lastStepOf(turns);
      lastRun.current = runId;
      if (told === undefined) return undefined;
      if (!isBusy) setTold(undefined);
      const isOfRun = told.runId === undefined || runId === undefined || told.runId === runId;
      return isBusy && isOfRun && told.after === lastStep.current ? told.pause : undefined;
    },
  };
}

/** A window that joins a run may be told of it before it has the message that the run answers. */
export function lastStepOf(turns: readonly Turn[]): string | undefined {
  return turns.findLast(({ steps }) => steps.length > 0)?.steps.at(-1)?.id;
}

/** The sentences of errors end with what a person can do; here it is being done. */
export function withoutAdvice(reason: string): string {
  const start = reason.lastIndexOf(' Try again');
  return start < 1 ? reason : reason.slice(0, start);
}
