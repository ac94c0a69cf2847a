// Sub-agents: the names that the service gives them, the work that their messages show, and their progress.
import * as z from 'zod/mini';
import {
  type AiView,
  type MessageView,
  readMessage,
  type ToolCallView,
  type ToolResultView,
} from './message-view.ts';

/** The work of one sub-agent. */
export interface SubagentWork {
  /** The sub-agent's messages with tool calls, oldest first. */
  readonly steps: readonly AiView[];
  /** Keyed by the id of the call. */
  readonly results: ReadonlyMap<string, ToolResultView>;
}

export function isSubagentCall({ name }: ToolCallView): boolean {
  return name === 'task';
}

/**
 * Returns the namespace of the checkpoints of a sub-agent. `around` is the namespace of the agent that made
 * the call.
 */
export function innerNamespace(around: string, callId: string): string {
  const own = `tools:${callId.replaceAll(/[^\w.:-]/g, '_')}`;
  return around === '' ? own : `${around}|${own}`;
}

/** Returns the task in a few words. Empty while the call is being written. */
export function taskOf({ args }: ToolCallView): string {
  return typeof args.description === 'string' ? args.description : '';
}

export function workOf(messages: readonly MessageView[]): SubagentWork {
  return {
    steps: messages.filter((it) => it.kind === 'ai').filter(({ calls }) => calls.length > 0),
    results: new Map(messages.filter((it) => it.kind === 'tool').map((it) => [it.callId, it])),
  };
}

/** Returns the messages that were read, followed by those that have arrived since. */
export function mergedMessages(
  read: readonly MessageView[],
  streamed: readonly MessageView[],
): readonly MessageView[] {
  const known = new Set(read.map(keyOf));
  return [...read, ...streamed.filter((it) => !known.has(keyOf(it)))];
}

export function keyOf(message: MessageView): string {
  return message.kind === 'tool' ? `result of ${message.callId}` : message.id;
}

type TaskStatus = 'running' | 'completed' | 'failed' | 'cancelled' | 'timed_out';

export interface TaskProgress {
  readonly status: TaskStatus;
  /** The messages that this page received. */
  readonly messages: readonly MessageView[];
  /** The number of calls so far that this page knows of. */
  readonly steps: number;
  readonly lastCall: ToolCallView | undefined;
}

export interface SubagentProgress {
  /** Handles a custom event of a run. Ignores events about anything else. */
  readonly onEvent: (event: unknown) => void;
  readonly of: (callId: string) => TaskProgress | undefined;
  readonly subscribe: (callId: string, listener: () => void) => () => void;
}

const eventSchema = z.object({
  type: z.enum([
    'task_started',
    'task_running',
    'task_completed',
    'task_failed',
    'task_cancelled',
    'task_timed_out',
  ]),
  task_id: z.string(),
  message: z.optional(z.unknown()),
});

type TaskEvent = z.infer<typeof eventSchema>;

const BEGUN: TaskProgress = { status: 'running', messages: [], steps: 0, lastCall: undefined };

export function createSubagentProgress(): SubagentProgress {
  const tasks = new Map<string, TaskProgress>();
  const listeners = new Map<string, Set<() => void>>();
  return {
    onEvent: (event) => {
      const { success, data } = z.safeParse(eventSchema, event);
      if (!success) return;
      tasks.set(data.task_id, advanced(tasks.get(data.task_id) ?? BEGUN, data));
      for (const listener of listeners.get(data.task_id) ?? []) listener();
    },
    of: (callId) => tasks.get(callId),
    subscribe: (callId, listener) => {
      const own = listeners.get(callId) ?? new Set();
      listeners.set(callId, own.add(listener));
      return () => own.delete(listener);
    },
  };
}

function advanced(progress: TaskProgress, { type, message }: TaskEvent): TaskProgress {
  switch (type) {
    case 'task_started':
      return BEGUN;
    case 'task_running':
      return withMessage(progress, readMessage(message, progress.messages.length));
    case 'task_completed':
      return { ...progress, status: 'completed' };
    case 'task_failed':
      return { ...progress, status: 'failed' };
    case 'task_cancelled':
      return { ...progress, status: 'cancelled' };
    case 'task_timed_out':
      return { ...progress, status: 'timed_out' };
    default:
      return type satisfies never;
  }
}

/** Adds a message unless it is known: a stream that is read again repeats the same messages. */
function withMessage(progress: TaskProgress, message: MessageView | undefined): TaskProgress {
  const running = { ...progress, status: 'running' } as const;
  if (message === undefined || progress.messages.some((it) => keyOf(it) === keyOf(message))) return running;
  const messages = [...progress.messages, message];
  if (message.kind !== 'ai') return { ...running, messages };
  const { calls } = message;
  const lastCall = calls.at(-1) ?? progress.lastCall;
  return { ...running, messages, steps: progress.steps + calls.length, lastCall };
}
