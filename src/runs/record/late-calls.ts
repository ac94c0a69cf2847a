// Model calls that end after their run, recorded and counted as if they had ended before.
import type { AgentEvent } from '../../agent/agent-event.ts';
import type { NewRunEvent } from '../../storage/run-events.ts';
import type { RunRecord, RunTotals } from '../../storage/runs.ts';
import type { Repositories } from '../../storage/storage.ts';
import type { SpentCall } from '../../storage/usage.ts';
import { pause, type Timers } from '../../timers.ts';
import { Journal } from './journal.ts';
import { spentBy, withModelCall } from './usage.ts';

export interface LateCalls {
  /** Counts the calls once, and resolves then. The run may not have ended yet when this is called. */
  count(repositories: Repositories, run: LateRun, events: readonly AgentEvent[]): Promise<void>;
}

type LateRun = Pick<RunRecord, 'threadId' | 'runId'>;

interface LateCallsParts {
  readonly traceLimitBytes: number;
  readonly now: () => number;
  readonly timers: Pick<Timers, 'after'>;
}

/** A run ends a moment after its last call. */
const POLL_MS = 100;

export function createLateCalls({ traceLimitBytes, now, timers }: LateCallsParts): LateCalls {
  return {
    async count(repositories, { threadId, runId }, events) {
      if (events.length === 0) return;
      const modelCallsBefore = await lastCallIndex(repositories, { threadId, runId });
      const journal = new Journal({ traceLimitBytes, modelCallsBefore, now });
      const ended = events.map((event) => endedCall(event, journal.record(event), now()));
      const late = {
        runId,
        record: ended.flatMap(({ record }) => record),
        spent: ended.flatMap(({ spent = [] }) => spent),
        totals: (before: RunTotals) => ended.reduce((totals, call) => call.added?.(totals) ?? totals, before),
        now: now(),
      };
      while ((await repositories.usage.countLate(late)) === 'running') await pause(timers, POLL_MS);
    },
  };
}

interface EndedCall {
  readonly record: readonly NewRunEvent[];
  readonly spent?: SpentCall;
  readonly added?: (totals: RunTotals) => RunTotals;
}

function endedCall(event: AgentEvent, record: readonly NewRunEvent[], now: number): EndedCall {
  if (event.type !== 'model_call_end' && event.type !== 'model_call_failed') return { record };
  const spent = spentBy(event, record[0]?.createdAt ?? now);
  if (spent === undefined) return { record };
  return { record, spent, added: (totals) => withModelCall(totals, event.caller, spent) };
}

/** Returns the last call index of the run. Indexes identify calls, so new ones continue from it. */
async function lastCallIndex({ runEvents }: Repositories, { threadId, runId }: LateRun): Promise<number> {
  const query = { runId, eventTypes: ['llm_request'], cursor: { kind: 'newest' }, limit: 1 } as const;
  const { events } = await runEvents.list(threadId, query);
  const index = events[0]?.metadata.llm_call_index;
  return typeof index === 'number' ? index : 0;
}
