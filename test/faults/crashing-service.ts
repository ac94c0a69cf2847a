// The service as a process that kills itself at a named point: `CRASH_POINT` and `CRASH_OCCURRENCE` name the
// first one, messages of the parent every other. Composed of the same parts as `serve`, with points around
// its ports.
import { flushCompileCache } from 'node:module';
import { loadConfig, processEnvironment } from '../../src/config/load.ts';
import { listen } from '../../src/http/transport/server.ts';
import { createLog } from '../../src/log.ts';
import { createModels } from '../../src/models/create-models.ts';
import { createService } from '../../src/service/create-service.ts';
import { openStorage } from '../../src/storage/sql/open-storage.ts';
import { lockDataHome } from '../../src/workspace/data-home-lock.ts';
import { modelWithPoints, storageWithPoints, toolWithPoints } from './crash-points.ts';
import { effectTools } from './effect-tools.ts';
import { nameFileSteps } from './file-points.ts';

export interface CrashOrder {
  /** A name of `crash-points.ts` or `file-points.ts`. */
  readonly point: string;
  /** 1: the first time that the point is passed after the order. */
  readonly occurrence: number;
  /**
   * How long to pause at the point before dying, while all other work continues; or until the test kills it.
   */
  readonly holdMs?: number | 'until killed';
}

/** Sent to the parent: the address once, and how often each point was passed since the last order. */
export type CrashReport = { readonly url: string } | { readonly passed: Readonly<Record<string, number>> };

const environment = processEnvironment();
let passed: Record<string, number> = {};
let order: CrashOrder | undefined =
  environment.CRASH_POINT === undefined
    ? undefined
    : { point: environment.CRASH_POINT, occurrence: Number(environment.CRASH_OCCURRENCE ?? '1') };

function at(name: string): Promise<void> | undefined {
  const count = (passed[name] ?? 0) + 1;
  passed[name] = count;
  if (order?.point !== name || order.occurrence !== count) return undefined;
  if (order.holdMs === undefined) return die();
  if (order.holdMs !== 'until killed') setTimeout(die, order.holdMs);
  return new Promise(() => {});
}

function die(): never {
  process.kill(process.pid, 'SIGKILL');
  // Nothing more may happen until the signal arrives.
  for (;;);
}

function report(what: CrashReport): void {
  process.send?.(what);
}

process.on('message', (message: CrashOrder | 'passed?') => {
  if (message === 'passed?') {
    report({ passed });
    return;
  }
  passed = {};
  order = message;
});
process.on('disconnect', () => process.exit(0));

nameFileSteps(at);
const loaded = loadConfig(environment, process.cwd());
if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
const { config } = loaded;
const isEmbedded = config.database.url.startsWith('sqlite:');
if (isEmbedded) lockDataHome(config.dataHome);
const log = createLog(config.log);
const storage = storageWithPoints(await openStorage({ ...config.database, log }), at);
const models = createModels(config.models ?? []).map((model) => modelWithPoints(model, at));
const service = await createService(config, models, {
  storage,
  log,
  tools: (own) => [...own, ...effectTools(config.dataHome)].map((tool) => toolWithPoints(tool, at)),
});
await service.start();
const server = await listen(service.app, config.server);
flushCompileCache();
report({ url: server.url });

process.on('SIGTERM', () => {
  void (async () => {
    const closed = server.close();
    await service.drain(config.runs.drain_ms);
    server.closeNow();
    await closed;
    await service.close(0);
    process.exit(0);
  })();
});
