// `serve`: starts the service and runs it until a signal stops it.
import { flushCompileCache } from 'node:module';
import { setTimeout as pause } from 'node:timers/promises';
import { createClientAddresses } from '../auth/client-ip.ts';
import type { Config } from '../config/schema.ts';
import { ServiceError } from '../errors.ts';
import { type HttpServer, listen } from '../http/transport/server.ts';
import { createLog, type Log } from '../log.ts';
import { createModels } from '../models/create-models.ts';
import { discoverModels } from '../models/discover-models.ts';
import { createService, type Service } from '../service/create-service.ts';
import { SchemaTooNewError } from '../storage/sql/migrations/migrate.ts';
import { type DataHomeLock, DataHomeLockedError, lockDataHome } from '../workspace/data-home-lock.ts';
import { isCurrent, rebuild, SERVICE_BUILD, WEB_BUILD } from './builds.ts';
import { type CommandContext, configFor } from './command.ts';
import { type StopSignals, stopSignals } from './stop-signals.ts';

/** How long the responses about ended runs may take after the drain, in milliseconds. */
const LAST_RESPONSES_MS = 1_000;
/** How long a database that accepts no writes may delay the exit after the grace period, in milliseconds. */
const GIVE_UP_MS = 5_000;

/** 0: stopped as requested. 1: could not start. 2: the data home is in use. 3: the database's disk failed. */
type ServeExitCode = 0 | 1 | 2 | 3;

/**
 * Resolves when the service has stopped. Work may still be in progress after a second signal, when the
 * database did not accept the last writes, or when its disk failed. The caller then ends the process.
 */
export async function serve(context: CommandContext): Promise<ServeExitCode> {
  const config = configFor(context);
  if (config === undefined) return 1;
  let lock: DataHomeLock | undefined;
  try {
    lock = config.database.url.startsWith('sqlite:') ? lockDataHome(config.dataHome) : undefined;
    return await runService(config, context);
  } catch (error) {
    return refusal(error, context.print);
  } finally {
    lock?.release();
  }
}

async function startService(config: Config, { environment, print }: CommandContext, log: Log) {
  const models = createModels(config.models ?? (await discoverModels(environment, { fetch })));
  const service = await createService(config, models, { webRoot: WEB_BUILD.folder, log });
  for (const { weight, message, fix } of await service.gaps())
    log[weight === 'wall' ? 'warn' : 'info']({}, `${message} ${fix}`);
  // Saved by default only at exit. A killed service would compile everything again at its next start.
  flushCompileCache();
  await service.start();
  service.loopLag.start();
  const { isTrustedProxy } = createClientAddresses(config.auth.trusted_proxies);
  const server = await listen(service.app, config.server, { log: service.log, isTrustedProxy });
  print(`Agent service  ${server.url}`);
  const credentials = await service.initialCredentialsPath();
  if (credentials !== undefined) print(`Credentials    ${credentials}`);
  print(`Models         ${models.map(({ info }) => info.name).join(', ')}`);
  return { service, server };
}

async function runService(config: Config, context: CommandContext): Promise<0 | 3> {
  const signals = stopSignals();
  const log = createHeldLog(createLog(config.log));
  // Not while it serves: looking at all sources takes longer than others should wait.
  const isBuilt = isCurrent(WEB_BUILD) && isCurrent(SERVICE_BUILD);
  const { service, server } = await startService(config, context, log).finally(log.release);
  const build = isBuilt ? undefined : rebuild(service.log);
  const asked = stopWhenAsked({ service, server }, signals, config.runs.drain_ms);
  // Nothing more is written or closed. The next start finds out what reached the disk.
  const failed = service.diskFailure.then((): 3 => 3);
  const code = await Promise.race([asked.then((): 0 => 0), failed]);
  build?.kill();
  service.log.info({}, 'stopped');
  return code;
}

async function stopWhenAsked(
  { service, server }: { readonly service: Service; readonly server: HttpServer },
  signals: StopSignals,
  graceMs: number,
): Promise<void> {
  await signals.first;
  service.log.info({}, 'stopping: no new runs; a second signal stops at once');
  const stopped = stop(service, server, graceMs);
  const late = pause(graceMs + GIVE_UP_MS).then(() => {
    service.log.warn({}, 'not everything could be written; the next start resumes from what was written');
  });
  await Promise.race([stopped, signals.second, late]);
}

/**
 * Stops the service. Streams of ended runs deliver their last frames; streams of runs that are handed back
 * are then cut off.
 */
async function stop(service: Service, server: HttpServer, graceMs: number): Promise<void> {
  service.loopLag.stop();
  const closed = server.close();
  await service.drain(graceMs);
  await Promise.race([closed, pause(LAST_RESPONSES_MS)]);
  server.closeNow();
  await closed;
  await service.close(0);
}

function refusal(error: unknown, print: CommandContext['print']): ServeExitCode {
  if (error instanceof DataHomeLockedError) {
    print(error.message);
    return 2;
  }
  const known = error instanceof ServiceError || error instanceof SchemaTooNewError;
  const system = error instanceof Error && 'code' in error && typeof error.code === 'string';
  if (!known && !system) throw error;
  print(`The service could not start: ${error.message}`);
  print('`npm start -- doctor` explains what is wrong and how to fix it.');
  return 1;
}

/** Holds its lines until the start was printed: address, credentials and models come first. */
interface HeldLog extends Log {
  /** Writes the held lines, and every later line immediately. */
  release(): void;
}

function createHeldLog(log: Log): HeldLog {
  let kept: (() => void)[] | undefined = [];
  const line = (write: () => void): void => {
    if (kept === undefined) write();
    else kept.push(write);
  };
  return {
    debug: (fields, message) => line(() => log.debug(fields, message)),
    info: (fields, message) => line(() => log.info(fields, message)),
    warn: (fields, message) => line(() => log.warn(fields, message)),
    error: (fields, message) => line(() => log.error(fields, message)),
    release() {
      const lines = kept ?? [];
      kept = undefined;
      for (const write of lines) write();
    },
  };
}
