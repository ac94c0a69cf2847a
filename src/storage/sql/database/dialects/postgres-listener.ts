// A connection to a Postgres server that listens on a channel and is reopened whenever it breaks.
import type { Client } from 'pg';
import { REAL_TIMERS, type Timers } from '../../../../timers.ts';

export interface Heard {
  /** The connection now listens. Earlier notifications may have been missed. */
  onListening(): void;
  onPayload(payload: string): void;
  /** Nothing is received until it listens again. */
  onLost(reason: string): void;
}

export interface Listener {
  /** Replaces a connection that seems open but receives nothing. */
  renew(): void;
  stop(): Promise<void>;
}

const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 20_000;
/** A connection that lasts this long counts as good. */
const GOOD_MS = 10_000;
/** A server that takes longer to respond counts as away. */
const LIMIT_MS = 5_000;

/** Listens on the channel. Its name goes into SQL unescaped, so it must not come from input. */
export function listenOnPostgres(
  url: string,
  { channel, heard, timers = REAL_TIMERS }: { channel: string; heard: Heard; timers?: Timers },
): Listener {
  const stopped = Promise.withResolvers<void>();
  let isStopped = false;
  let current: PromiseWithResolvers<string> | undefined;

  /** Resolves when the connection has ended. */
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
      const waited = Promise.withResolvers<void>();
      const cancel = timers.idlyAfter(wait, waited.resolve);
      if (!isStopped) await Promise.race([waited.promise, stopped.promise]);
      cancel();
    }
  };

  const ended = keepListening();
  return {
    renew: () => current?.resolve('the connection is silent'),
    async stop() {
      isStopped = true;
      stopped.resolve();
      current?.resolve('it is no longer needed');
      await ended;
    },
  };
}

/** Closes the client without waiting for a server that may never respond. */
function close(client: Client): void {
  client.end().catch(() => undefined);
}
