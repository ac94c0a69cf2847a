// What an earlier attempt of a run left behind: read from the run's log when somebody takes it up again.
import type { UnfinishedStep } from '../agent/agent.ts';
import type { ToolEnd } from '../agent/agent-event.ts';
import type { FrameRepository } from '../storage/frames.ts';
import { type LogEvent, loggedEvents } from './log-event.ts';

export interface EarlierAttempts {
  /** The place of the last event in the run's log; 0 when there is none. */
  readonly lastSeq: number;
  /** The attempt that spoke last; 0 when none did. */
  readonly attempt: number;
  /** Since the last finished step. */
  readonly unfinished: UnfinishedStep;
}

/** What a run has left behind that nobody ever executed. */
export const NOTHING_EARLIER: EarlierAttempts = { lastSeq: 0, attempt: 0, unfinished: noStep() };

const READ_BYTES = 1_048_576;

export async function earlierAttempts(frames: FrameRepository, runId: string): Promise<EarlierAttempts> {
  let lastSeq = 0;
  let attempt = 0;
  let step = noStep();
  for (;;) {
    const rows = await frames.read(runId, lastSeq, READ_BYTES);
    if (rows.length === 0) return { lastSeq, attempt, unfinished: step };
    for (const logged of rows.flatMap((row) => loggedEvents(row, lastSeq))) {
      step = afterEvent(step, logged.event);
      if (logged.event.type === 'attempt') attempt = logged.event.attempt;
      lastSeq = logged.seq;
    }
  }
}

interface MutableStep extends UnfinishedStep {
  readonly toolEnds: ToolEnd[];
  readonly startedCallIds: Set<string>;
}

function noStep(): MutableStep {
  return { toolEnds: [], startedCallIds: new Set() };
}

function afterEvent(step: MutableStep, event: LogEvent): MutableStep {
  switch (event.type) {
    case 'state':
      return noStep();
    case 'tools_start':
      for (const id of event.callIds) step.startedCallIds.add(id);
      return step;
    case 'tool_end':
      step.toolEnds.push(event);
      return step;
    case 'text_delta':
    case 'reasoning_delta':
    case 'tool_call_delta':
      return { ...step, messageId: event.messageId };
    default:
      return step;
  }
}
