// Starts the backend and the frontend in one process: `node start.ts [dev | backend | frontend | check]`.
// `dev` serves the frontend from its sources; the last two start only that one. `check` only checks the configuration.
import { inspect } from 'node:util';
import { createLog } from './backend/log.ts';
import { startBackend } from './backend/start-backend.ts';
import { ConfigError, loadConfig } from './config/load-config.ts';
import { type Listening, localUrl } from './http/listen.ts';

async function start(mode = 'all'): Promise<void> {
  const config = loadConfig();
  if (mode === 'check') return;
  const log = createLog(config);
  const drainMs = config.app.environment === 'development' ? 0 : 5_000;
  const stops: (() => Promise<void>)[] = [];
  const started = (name: string, { url, close }: Listening) => {
    stops.push(close);
    log.info({ url }, `${name} on ${url.replace('127.0.0.1', 'localhost')}`);
  };
  let isStopping = false;
  const stop = async (signal: string) => {
    // A terminal signals both npm and us, and npm signals us again.
    if (isStopping) return;
    isStopping = true;
    log.info({ signal }, 'stopping: what is under way is finished first');
    await Promise.all(stops.map((it) => it()));
    process.exit(0);
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);

  let backendUrl = localUrl(config.server.backend);
  if (mode !== 'frontend') {
    const backend = await startBackend({
      config,
      log: log.child({ server: 'backend' }),
      drainMs,
      dataFolder: process.env.DATA_FOLDER ?? 'data',
    });
    backendUrl = backend.url;
    started('backend', backend);
  }
  if (mode === 'backend') return;
  // Imported when they are needed: what is deployed has no Vite.
  if (mode === 'dev') {
    const { startDevServer } = await import('./frontend/server/start-dev-server.ts');
    const { writeClient } = await import('./scripts/make-client.ts');
    await writeClient();
    started('frontend', await startDevServer(config, backendUrl));
  } else {
    const { startFrontend } = await import('./frontend/server/start-frontend.ts');
    started('frontend', await startFrontend({ config, log: log.child({ server: 'frontend' }), backendUrl, drainMs }));
  }
}

try {
  await start(process.argv[2]);
} catch (error) {
  const isExpected = error instanceof Error && (error instanceof ConfigError || error.cause !== undefined);
  process.stderr.write(`${isExpected ? error.message : inspect(error)}\n`);
  process.exit(1);
}
