// The contents of a run's log: compact facts, from which every reader renders its own frames.

import { z } from 'zod';
import type {
  CustomProgress,
  MessageDelta,
  MessageEnd,
  MessageRestart,
  StepStart,
  SubagentOutcome,
  ToolEnd,
} from '../../agent/agent-event.ts';
import type { Interrupt } from '../../messages/interrupt.ts';
import type { ToolCall } from '../../messages/message.ts';
import type { StateDelta } from '../../messages/thread-state.ts';
import type { FrameRow } from '../../storage/frames.ts';
import type { RunStatus, StopReason } from '../../storage/runs.ts';
import type { SeenPlace } from './epochs.ts';
import type { RunFailure } from './run-ending.ts';

/** A worker claimed the run: the first one, or another after a crash. */
interface AttemptStart {
  readonly type: 'attempt';
  readonly attempt: number;
}

/** A checkpoint was written. Its changes are read from the checkpoint and never stored twice. */
export interface StateWritten {
  readonly type: 'state';
  readonly checkpointId: string;
  readonly parentId: string | null;
  readonly source: 'input' | 'loop';
  readonly node: string | null;
  readonly step: number;
  readonly taskId: string;
  readonly next: readonly string[];
  /** The questions to the person at this checkpoint; absent without any. */
  readonly interrupts?: readonly Interrupt[];
}

/** `checkpointId` is the state given to the step; logs of older versions lack it. */
export type StepStarted = StepStart & { readonly checkpointId?: string };

/** The model is called to write the message. */
export interface ModelStarted {
  readonly type: 'model_start';
  readonly messageId: string;
  readonly checkpointId: string;
}

export interface CallsStarted {
  readonly type: 'tools_start';
  readonly callIds: readonly string[];
  /** The calls, as they run, that differ from what the model requested. */
  readonly edited?: readonly ToolCall[];
  readonly checkpointId?: string;
}

/** `checkpointId` is the state given to the call; logs of older versions lack it. */
export type CallEnded = ToolEnd & {
  readonly checkpointId?: string;
  /** The call as it ran, if it differs from what the model requested. */
  readonly edited?: ToolCall;
};

/** The run comes to rest. Its output is the state of the checkpoint. */
export interface RunOutput {
  readonly type: 'output';
  readonly checkpointId: string;
  /** True when the run was requested to stop here, without a question. */
  readonly isBreakpoint: boolean;
}

interface RunFailed extends RunFailure {
  readonly type: 'error';
}

/** The last event of every run. */
interface RunEnd {
  readonly type: 'end';
  readonly status: RunStatus;
  readonly stopReason: StopReason;
}

/** Events that only show a message while it is written. */
export type MessagePiece = MessageDelta | MessageEnd | MessageRestart;

export type AgentLogEvent =
  | StateWritten
  | StepStarted
  | ModelStarted
  | MessagePiece
  | CallsStarted
  | CallEnded
  | CustomProgress;

/** The last event of a sub-agent. */
export interface SubagentEnded extends SubagentOutcome {
  readonly type: 'ended';
  /** The sub-agent's final state; absent when it did not complete. */
  readonly checkpointId?: string;
}

/** An event of a sub-agent, in its namespace. The first one is the `state` of its task. */
export interface SubagentLogEvent {
  readonly type: 'subagent';
  readonly namespace: string;
  readonly event: AgentLogEvent | SubagentEnded;
}

export type LogEvent = AttemptStart | AgentLogEvent | SubagentLogEvent | RunOutput | RunFailed | RunEnd;

/** An event with its position in the log of its run. */
export interface LoggedEvent {
  /** 1, 2, 3 ... inside the run. */
  readonly seq: number;
  /** The name of its epoch, if that has one. */
  readonly epoch?: string | undefined;
  readonly event: LogEvent;
  /** The changes of a `state` event, if they are in memory; otherwise, the checkpoint has them. */
  readonly delta?: StateDelta;
  /** True for a `state` event whose message is shown whole, because its pieces were pruned. */
  readonly whole?: boolean;
  /** All that the reader was shown after this place is lost. The log continues with this event instead. */
  readonly kept?: SeenPlace;
}

/** Replaces a pruned event in a stored row, because positions never change. */
const PRUNED = 0;

/** Events that only show how a message was written. Once it is recorded, its `state` event is enough. */
const PIECES: ReadonlySet<ReturnType<typeof innerEvent>['type']> = new Set<MessagePiece['type']>([
  'text_delta',
  'reasoning_delta',
  'tool_call_delta',
  'message_end',
  'message_restart',
]);

export function isPiece(event: ReturnType<typeof innerEvent>): event is MessagePiece {
  return PIECES.has(event.type);
}

const storedEvents = z.array(
  z.union([
    z.literal(PRUNED),
    z.custom<LogEvent>((value) => typeof value === 'object' && value !== null && 'type' in value),
  ]),
);

/** Returns the event itself, whichever agent of the run emitted it. */
export function innerEvent(event: LogEvent): Exclude<LogEvent, SubagentLogEvent> | SubagentEnded {
  return event.type === 'subagent' ? event.event : event;
}

/** Returns a stored row's events after `afterSeq`, without their epochs. Only `runs` writes these rows. */
export function loggedEvents(row: FrameRow, afterSeq: number): readonly LoggedEvent[] {
  const logged: LoggedEvent[] = [];
  let isPruned = false;
  for (const [index, event] of storedEvents.parse(JSON.parse(row.events)).entries()) {
    if (event === PRUNED) {
      isPruned = true;
      continue;
    }
    const seq = row.firstSeq + index;
    const whole = isPruned && innerEvent(event).type === 'state';
    if (seq > afterSeq) logged.push(whole ? { seq, event, whole } : { seq, event });
  }
  return logged;
}

/** Returns the whole log of an ended run as one row without the pieces of its messages. */
export function prunedRow(rows: readonly [FrameRow, ...FrameRow[]]): FrameRow {
  const [first] = rows;
  const last = rows.at(-1) ?? first;
  const events = rows.flatMap((row) => storedEvents.parse(JSON.parse(row.events)));
  const kept = events.map((event) =>
    event === PRUNED || PIECES.has(innerEvent(event).type) ? PRUNED : event,
  );
  return {
    firstSeq: first.firstSeq,
    lastSeq: last.lastSeq,
    attempt: last.attempt,
    events: JSON.stringify(kept),
  };
}
