// The contexts of one reader's frames: the lead agent's, and those of the sub-agents that it follows.
import { LEAD_NAMESPACE } from '../../../messages/agent-namespace.ts';
import type { LogEvent } from '../../log/log-event.ts';
import type { StreamMode } from '../../request/stream-modes.ts';
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
  return new Contexts(lead, subgraphs);
}

class Contexts implements FrameContexts {
  readonly #lead: FrameContext;
  /** By namespace; `undefined` for a reader that follows the lead agent only. */
  readonly #inner: Map<string, FrameContext> | undefined;

  constructor(lead: FrameContext, subgraphs: boolean) {
    this.#lead = lead;
    this.#inner = subgraphs ? new Map() : undefined;
  }

  of(event: LogEvent): FrameContext | undefined {
    if (event.type !== 'subagent') return this.#lead;
    if (this.#inner === undefined) return undefined;
    const { namespace } = event;
    const known = this.#inner.get(namespace) ?? createFrameContext({ ...this.#lead, namespace });
    this.#inner.set(namespace, known);
    return known;
  }
}
