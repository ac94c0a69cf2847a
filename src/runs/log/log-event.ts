// What the log of a run holds: compact facts, from which every reader renders its own frames.

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

/** The run was taken up: by its first process, or by another after a crash. */
interface AttemptStart {
  readonly type: 'attempt';
  readonly attempt: number;
}

/** A checkpoint was written. What it changed is read from the checkpoint, never stored twice. */
export interface StateWritten {
  readonly type: 'state';
  readonly checkpointId: string;
  readonly parentId: string | null;
  readonly source: 'input' | 'loop';
  readonly node: string | null;
  readonly step: number;
  readonly taskId: string;
  readonly next: readonly string[];
  /** What the person is asked here; absent when nothing is. */
  readonly interrupts?: readonly Interrupt[];
}

/** `checkpointId` is the state that the step is given; logs of older versions do not tell it. */
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
  /** The calls that differ from what the model asked for, as they run. */
  readonly edited?: readonly ToolCall[];
  readonly checkpointId?: string;
}

/** `checkpointId` is the state that the call was given; logs of older versions do not tell it. */
export type CallEnded = ToolEnd & {
  readonly checkpointId?: string;
  /** The call as it ran, if that differs from what the model asked for. */
  readonly edited?: ToolCall;
};

/** The run comes to rest: what it gives back is the state of the checkpoint. */
export interface RunOutput {
  readonly type: 'output';
  readonly checkpointId: string;
  /** It was told to stop here, without a question. */
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

/** Events that only show a message being written. */
export type MessagePiece = MessageDelta | MessageEnd | MessageRestart;

/** What one agent of the run reports. */
export type AgentLogEvent =
  | StateWritten
  | StepStarted
  | ModelStarted
  | MessagePiece
  | CallsStarted
  | CallEnded
  | CustomProgress;

/** The last event of a sub-agent: it has ended. */
export interface SubagentEnded extends SubagentOutcome {
  readonly type: 'ended';
  /** The state that it came to; absent when it did not complete. */
  readonly checkpointId?: string;
}

/** What a sub-agent reports, in its namespace. Its first word is the `state` of its task. */
export interface SubagentLogEvent {
  readonly type: 'subagent';
  readonly namespace: string;
  readonly event: AgentLogEvent | SubagentEnded;
}

export type LogEvent = AttemptStart | AgentLogEvent | SubagentLogEvent | RunOutput | RunFailed | RunEnd;

/** An event at its place in the log of its run. */
export interface LoggedEvent {
  /** 1, 2, 3 ... inside the run. */
  readonly seq: number;
  /** The name of its epoch, if that has one. */
  readonly epoch?: string | undefined;
  readonly event: LogEvent;
  /** What a `state` event changed, while it is at hand; else it is in the checkpoint. */
  readonly delta?: StateDelta;
  /** Of a `state` event: the pieces of its message were pruned, so it is shown whole here. */
  readonly whole?: boolean;
  /** Everything that the reader was shown after this place is lost; the log continues differently, with this event. */
  readonly kept?: SeenPlace;
}

/** Takes the place of a pruned event in a stored row, because places never change. */
const PRUNED = 0;

/** Events that only tell how a message was written; once it is recorded, its `state` event says it all. */
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

/** The event itself, whichever agent of the run it is from. */
export function innerEvent(event: LogEvent): Exclude<LogEvent, SubagentLogEvent> | SubagentEnded {
  return event.type === 'subagent' ? event.event : event;
}

/** The events of a stored row after `afterSeq`, without their epochs. Only `runs` writes these rows. */
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

/** The whole log of an ended run as one row without the pieces of its messages. */
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
