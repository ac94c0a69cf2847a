// The contexts of one reader's frames: the lead agent's, and those of the sub-agents that it follows.
import { LEAD_NAMESPACE } from '../../messages/agent-namespace.ts';
import type { LogEvent } from '../log-event.ts';
import type { StreamMode } from '../stream-modes.ts';
import { createFrameContext, type FrameContext } from './frame-context.ts';

/** What a reader is shown of a run. */
export interface WantedFrames {
  readonly modes: readonly StreamMode[];
  /** Frames of sub-agents, too. */
  readonly subgraphs: boolean;
}

export interface FrameContexts {
  /** Of the agent that the event is from; `undefined` when the reader does not follow it. */
  of(event: LogEvent): FrameContext | undefined;
}

export function createFrameContexts(
  run: { readonly runId: string; readonly threadId: string },
  { modes, subgraphs }: WantedFrames,
): FrameContexts {
  const { runId, threadId } = run;
  const shared = { runId, threadId, modes: new Set(modes) };
  const lead = createFrameContext({ ...shared, namespace: LEAD_NAMESPACE });
  const inner = new Map<string, FrameContext>();
  const subagent = (namespace: string): FrameContext => {
    const known = inner.get(namespace) ?? createFrameContext({ ...shared, namespace });
    inner.set(namespace, known);
    return known;
  };
  return {
    of(event) {
      if (event.type !== 'subagent') return lead;
      return subgraphs ? subagent(event.namespace) : undefined;
    },
  };
}
