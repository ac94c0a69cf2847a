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
  /** Where the database is; made when it does not exist. */
  dataFolder: string;
  /** How long a stop lets whoever spreads the requests see that this one is not ready, before the port closes. */
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
  // What has to be done before the first request comes belongs here: until then /health/ready says 503.
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
