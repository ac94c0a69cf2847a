// Whether the service can be reached. While it cannot, probes until it can.

export type ConnectionState = 'online' | 'lost';

export interface Connection {
  readonly state: () => ConnectionState;
  readonly subscribe: (listener: () => void) => () => void;
  /** Called after every request with its outcome. */
  readonly report: (outcome: 'answered' | 'failed') => void;
}

const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 8_000;

/** Watches the connection. `probe` resolves when the service responds and rejects when it does not. */
export function createConnection(probe: () => Promise<unknown>): Connection {
  let state: ConnectionState = 'online';
  let timer: number | undefined;
  const listeners = new Set<() => void>();

  function change(next: ConnectionState): void {
    if (state === next) return;
    state = next;
    for (const listener of listeners) listener();
    clearTimeout(timer);
    if (next === 'lost') ask(FIRST_RETRY_MS);
  }

  function ask(delay: number): void {
    timer = window.setTimeout(() => {
      probe().then(
        () => change('online'),
        () => ask(Math.min(delay * 2, LAST_RETRY_MS)),
      );
    }, delay);
  }

  window.addEventListener('offline', () => change('lost'));
  window.addEventListener('online', () => {
    clearTimeout(timer);
    if (state === 'lost') ask(0);
  });
  return {
    state: () => state,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    report: (outcome) => change(outcome === 'answered' ? 'online' : 'lost'),
  };
}
