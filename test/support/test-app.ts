// The HTTP app with real storage in memory, for tests of authentication, threads and HTTP itself.
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { authOptionsSchema } from '../../src/auth/auth-options.ts';
import { type Auth, createAuth } from '../../src/auth/create-auth.ts';
import { GATEWAY, RUNTIME } from '../../src/http/api/route-family.ts';
import type { MountRoutes } from '../../src/http/api/route-table.ts';
import { type AppDependencies, createApp } from '../../src/http/app.ts';
import { apiKeyRoutes } from '../../src/http/routes/api-keys.ts';
import { authRoutes } from '../../src/http/routes/auth.ts';
import { healthRoutes, type Ready } from '../../src/http/routes/health.ts';
import { sessionRoutes } from '../../src/http/routes/sessions.ts';
import { type ThreadRouteDependencies, threadRoutes } from '../../src/http/routes/threads.ts';
import { httpOptionsSchema } from '../../src/http/transport/http-options.ts';
import type { Log } from '../../src/log.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { createThreadRemover } from '../../src/threads/thread-remover.ts';
import { createThreadService, type ThreadServiceDependencies } from '../../src/threads/thread-service.ts';
import { createUpkeep, type Upkeep } from '../../src/upkeep/upkeep.ts';
import { heldToContract } from './answer-contract.ts';
import { createHttpClient, type HttpClient } from './http-client.ts';
import { openMemoryStorage } from './memory-storage.ts';

interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly fields: object;
  readonly message: string;
}

export interface TestApp {
  /** A client without cookies. */
  client(): HttpClient;
  /** A client signed in with a new account. */
  user(name?: string): Promise<HttpClient>;
  readonly app: ReturnType<typeof createApp>;
  readonly auth: Auth;
  readonly storage: Storage;
  /** Not started: no background work happens unless the test starts it. */
  readonly upkeep: Upkeep;
  readonly dataHome: string;
  /** All log lines. */
  readonly lines: LogLine[];
  /** The time of the service; the test moves it. */
  readonly clock: { now: number };
  /** The address of the client's socket; the test changes it. */
  readonly peer: { address: string };
  close(): Promise<void>;
}

export interface TestAppOptions {
  readonly auth?: Record<string, unknown>;
  readonly http?: Record<string, unknown>;
  readonly app?: Partial<AppDependencies> & {
    readonly ready?: Ready;
    readonly threadStates?: ThreadRouteDependencies['threadStates'];
    /** More routes, after those of the service. */
    readonly routes?: readonly MountRoutes[];
  };
  readonly threads?: Partial<ThreadServiceDependencies>;
  /** Wraps the real storage. */
  readonly storage?: (real: Storage) => Storage;
  /** Replaces the default, which removes nothing. */
  readonly removeFiles?: (thread: { readonly threadId: string }) => Promise<void>;
  readonly dataHome?: string;
}

/** Cheap password hashes: the tests are about rules, not about cost. */
const CHEAP_HASHES = { memory_kib: 8, iterations: 1, parallelism: 1 };
export const GOOD_PASSWORD = 'correct horse battery';

const NO_THREAD_STATES: ThreadRouteDependencies['threadStates'] = {
  show: async () => null,
  requireShowable: async () => {},
  matching: async () => [],
  valuesOf: async () => ({}),
  update: async () => Promise.reject(new Error('This test has no thread states.')),
};

export async function openTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const dataHome = options.dataHome ?? (await mkdtemp(join(tmpdir(), 'agent-service-')));
  const lines: LogLine[] = [];
  const log = recordingLog(lines);
  const clock = { now: Date.UTC(2026, 10, 20, 21) };
  const peer = { address: '192.0.2.10' };
  const now = () => clock.now;
  const { storage: around = (real) => real } = options;
  const storage = around(await openMemoryStorage({ log }));
  const authOptions = authOptionsSchema.parse({
    password_hash: CHEAP_HASHES,
    // Tests register many people from one address.
    registrations: { per_address: 100_000 },
    ...options.auth,
  });
  const auth = await createAuth({ storage, dataHome, options: authOptions, log, now });
  const upkeep = createUpkeep({ log });
  const remover = createThreadRemover({
    removals: storage.threadRemovals,
    removeFiles: options.removeFiles ?? (async () => {}),
    forget: () => {},
    log,
    now,
    exclusive: true,
    upkeep,
  });
  const threads = createThreadService({
    cancelRuns: async () => {},
    endTasks: async () => {},
    remover,
    announceDeleted: () => {},
    now,
    ...options.threads,
  });
  const {
    ready = async () => [],
    threadStates = NO_THREAD_STATES,
    routes: others = [],
    newId = randomUUID,
    ...own
  } = options.app ?? {};
  const app = createApp({
    options: httpOptionsSchema.parse(options.http ?? {}),
    log,
    storage,
    auth,
    mountRoutes(routes) {
      healthRoutes(routes, { ready });
      authRoutes(routes, auth);
      for (const family of [GATEWAY, RUNTIME])
        threadRoutes(routes, family, { threads, threadStates, log, newId });
      apiKeyRoutes(routes, { apiKeys: auth.apiKeys, now });
      sessionRoutes(routes, { sessions: auth.sessions, confirmPassword: auth.confirmPassword, now });
      for (const mount of others) mount(routes);
    },
    peerAddress: () => peer.address,
    now,
    ...own,
  });
  const target = heldToContract(app);
  let users = 0;
  return {
    app,
    auth,
    storage,
    upkeep,
    dataHome,
    lines,
    clock,
    peer,
    client: () => createHttpClient(target),
    async user(name = `user${++users}`) {
      const client = createHttpClient(target);
      const answer = await client.register({ email: `${name}@example.com`, password: GOOD_PASSWORD });
      if (answer.status !== 201) throw new Error(`The test account was not made: ${await answer.text()}`);
      return client;
    },
    async close() {
      await storage.close();
      await rm(dataHome, { recursive: true, force: true });
    },
  };
}

function recordingLog(lines: LogLine[]): Log {
  const record = (level: LogLine['level']) => (fields: object, message: string) => {
    lines.push({ level, fields, message });
  };
  return { debug: record('debug'), info: record('info'), warn: record('warn'), error: record('error') };
}
