// Sub-agents as the service names them, and what their messages say that they did.
import type { AiView, MessageView, ToolCallView, ToolResultView } from './message-view.ts';

/** The work of one sub-agent. */
export interface SubagentWork {
  /** What it called tools for, oldest first. */
  readonly steps: readonly AiView[];
  /** By the id of the call. */
  readonly results: ReadonlyMap<string, ToolResultView>;
}

export function isSubagentCall({ name }: ToolCallView): boolean {
  return name === 'task';
}

/** Where the service keeps the checkpoints of the sub-agent that an agent began with a call. */
export function innerNamespace(around: string, callId: string): string {
  const own = `tools:${callId.replaceAll(/[^\w.:-]/g, '_')}`;
  return around === '' ? own : `${around}|${own}`;
}

/** In a few words; empty while the call is being written. */
export function taskOf({ args }: ToolCallView): string {
  return typeof args.description === 'string' ? args.description : '';
}

export function workOf(messages: readonly MessageView[]): SubagentWork {
  return {
    steps: messages.filter((it) => it.kind === 'ai').filter(({ calls }) => calls.length > 0),
    results: new Map(messages.filter((it) => it.kind === 'tool').map((it) => [it.callId, it])),
  };
}

/** What was read, and behind it what was told since. */
export function mergedMessages(
  read: readonly MessageView[],
  told: readonly MessageView[],
): readonly MessageView[] {
  const known = new Set(read.map(keyOf));
  return [...read, ...told.filter((it) => !known.has(keyOf(it)))];
}

export function keyOf(message: MessageView): string {
  return message.kind === 'tool' ? `result of ${message.callId}` : message.id;
}
