// One connection to a Postgres server that listens on a channel and is reopened whenever it breaks.
import type { Client } from 'pg';
import { type CancelTimer, REAL_TIMERS, type Timers } from '../../../../timers.ts';

export interface Heard {
  /** It listens from now on; what was notified before may have been missed. */
  onListening(): void;
  onPayload(payload: string): void;
  /** It hears nothing until it listens again. */
  onLost(reason: string): void;
}

export interface Listener {
  /** The connection seems open but receives nothing: replace it. */
  renew(): void;
  stop(): Promise<void>;
}

const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 20_000;
/** A connection that held for so long was a good one. */
const GOOD_MS = 10_000;
/** A server that does not answer a statement for so long is away. */
const LIMIT_MS = 5_000;

/** The channel is a name, not a text of others. */
export function listenOnPostgres(
  url: string,
  { channel, heard, timers = REAL_TIMERS }: { channel: string; heard: Heard; timers?: Timers },
): Listener {
  const stopped = Promise.withResolvers<void>();
  let isStopped = false;
  let current: PromiseWithResolvers<string> | undefined;

  /** Resolves when the connection is over. */
  const session = async (): Promise<void> => {
    const { Client: PostgresClient } = await import('pg');
    const client = new PostgresClient({
      connectionString: url,
      keepAlive: true,
      connectionTimeoutMillis: LIMIT_MS,
      query_timeout: LIMIT_MS,
    });
    const over = Promise.withResolvers<string>();
    current = over;
    client.on('error', (error) => over.resolve(error.message));
    client.on('end', () => over.resolve('the connection was closed'));
    client.on('notification', ({ payload }) => heard.onPayload(payload ?? ''));
    try {
      await client.connect();
      await client.query(`listen ${channel}`);
      heard.onListening();
      heard.onLost(await over.promise);
    } catch (error) {
      heard.onLost(error instanceof Error ? error.message : String(error));
    } finally {
      current = undefined;
      close(client);
    }
  };

  const keepListening = async (): Promise<void> => {
    for (let wait = FIRST_RETRY_MS; !isStopped; ) {
      const begun = timers.elapsed();
      await session();
      wait = timers.elapsed() - begun >= GOOD_MS ? FIRST_RETRY_MS : Math.min(wait * 2, LAST_RETRY_MS);
      let cancel: CancelTimer = () => {};
      const waited = new Promise<void>((resolve) => {
        cancel = timers.idlyAfter(wait, resolve);
      });
      if (!isStopped) await Promise.race([waited, stopped.promise]);
      cancel();
    }
  };

  const ended = keepListening();
  return {
    renew: () => current?.resolve('nothing is heard on the connection'),
    async stop() {
      isStopped = true;
      stopped.resolve();
      current?.resolve('it is not needed any more');
      await ended;
    },
  };
}

/** Without waiting for a server that may never answer. */
function close(client: Client): void {
  client.end().catch(() => undefined);
}
