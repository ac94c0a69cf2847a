// The backend as a running server: opened in order, stopped in order.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../config/config-schema.ts';
import { listen } from '../http/listen.ts';
import { createReadiness } from '../http/readiness.ts';
import { createApp } from './app.ts';
import { migrate, openDatabase } from './database.ts';

interface BackendOptions {
  config: Config;
  log: Logger;
  /** The folder of the database; created if it does not exist. */
  dataFolder: string;
  /** How long a stop lets load balancers see that this process is not ready, before the port closes. */
  drainMs?: number;
  now?: () => number;
}

/** Resolves when requests are served. `close` finishes those that are under way. */
export async function startBackend({ config, log, dataFolder, drainMs = 0, now }: BackendOptions) {
  const database = openDatabase(dataFolder);
  migrate(database);
  const readiness = createReadiness();
  readiness.register('database', () => void database.prepare('SELECT 1').get());
  const app = createApp({ config, log, database, readiness, now });
  const listening = await listen(app, config.server.backend);
  // Work that must be done before the first request belongs here: until then /health/ready returns 503.
  readiness.state = 'serving';
  return {
    url: listening.url,
    readiness,
    async close() {
      readiness.state = 'draining';
      await sleep(drainMs);
      await listening.close();
      database.close();
    },
  };
}
