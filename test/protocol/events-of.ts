// What the SDK was shown of a thread, each event once, in its order.
import type { ThreadStream } from '@langchain/langgraph-sdk';

export interface ProtocolEventJson {
  readonly type: 'event';
  readonly event_id: string;
  readonly seq: number;
  readonly method: string;
  readonly params: {
    readonly namespace: readonly string[];
    readonly timestamp: number;
    readonly node?: string;
    readonly data: Record<string, unknown>;
  };
}

export interface SeenEvents {
  readonly events: readonly ProtocolEventJson[];
  /** Resolves when one of the events, of those that came and that will come, is as wanted. */
  until(wanted: (event: ProtocolEventJson) => boolean): Promise<void>;
}

export function eventsOf(thread: ThreadStream): SeenEvents {
  const events: ProtocolEventJson[] = [];
  const waiting = new Set<() => void>();
  thread.onEvent((event) => {
    events.push(event as unknown as ProtocolEventJson);
    for (const look of waiting) look();
  });
  return {
    events,
    until: (wanted) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!events.some(wanted)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
  };
}

/** The end of a run. */
export function isTerminal({ method, params }: ProtocolEventJson): boolean {
  return method === 'lifecycle' && params.namespace.length === 0 && params.data.event !== 'running';
}
