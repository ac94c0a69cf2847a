// The whole service in process: real storage, real HTTP to a scripted model server, requests without a
// socket.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceError } from '../../src/errors.ts';
import type { Log } from '../../src/log.ts';
import { createModels } from '../../src/models/create-models.ts';
import type { Model } from '../../src/models/model.ts';
import { createService, type Service } from '../../src/service/create-service.ts';
import type { ServiceOverrides } from '../../src/service/ground.ts';
import { heldToContract } from './answer-contract.ts';
import { knownConfinement } from './confinement.ts';
import { createHttpClient, type HttpClient } from './http-client.ts';
import { jsonOf } from './json-of.ts';
import { openMemoryStorage } from './memory-storage.ts';
import { type ModelServer, startModelServer } from './model-server.ts';
import { allFrames, type TestFrame } from './sse.ts';
import { differencesIn } from './stored-truth.ts';
import { type TestConfigOptions, testConfig } from './test-config.ts';
import { strangeEvents } from './valid-record.ts';

export const TEST_PASSWORD = 'correct horse battery';

/** Retries of failing models without delay; `test/models/` tests the delays. */
export const QUICK_RETRIES = { baseMs: 1, capMs: 2 };

export interface TestServiceOptions extends TestConfigOptions {
  /** Instead of the model that asks the scripted server. */
  readonly models?: readonly Model[];
  readonly overrides?: ServiceOverrides;
  readonly dataHome?: string;
}

export interface TestService {
  readonly service: Service;
  readonly model: ModelServer;
  readonly dataHome: string;
  /** The warnings and errors that were logged since the start. */
  readonly complaints: { readonly fields: object; readonly message: string }[];
  client(): HttpClient;
  /** A client signed in with a new account. */
  user(name?: string): Promise<HttpClient>;
  close(): Promise<void>;
}

export async function openTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const dataHome = options.dataHome ?? (await mkdtemp(join(tmpdir(), 'agent-service-')));
  const model = await startModelServer();
  const config = testConfig(dataHome, model.url, options);
  const complaints: TestService['complaints'] = [];
  const models = options.models ?? createModels(config.models ?? [], { backoff: QUICK_RETRIES });
  const world = { log: complaintsLog(complaints), peerAddress: () => '192.0.2.10', ...options.overrides };
  const inMemory = world.storage === undefined && config.database.url === 'sqlite::memory:';
  const service = await createService(config, models, {
    ...knownConfinement(config.sandbox.path, dataHome),
    ...(inMemory ? { storage: await openMemoryStorage(world) } : {}),
    ...world,
  });
  // The warning that a test's own Postgres does not wait for the disk comes before.
  complaints.splice(0);
  await service.start();
  const target = heldToContract(service.app);
  let users = 0;
  return {
    service,
    model,
    dataHome,
    complaints,
    client: () => createHttpClient(target),
    async user(name = `user${++users}`) {
      const client = createHttpClient(target);
      const answer = await client.register({ email: `${name}@example.com`, password: TEST_PASSWORD });
      if (answer.status === 201) return client;
      const signedIn = await client.signIn({ email: `${name}@example.com`, password: TEST_PASSWORD });
      if (signedIn.status !== 200) throw new Error(`No account: ${await answer.text()}`);
      return client;
    },
    async close() {
      const differences = await differencesIn(service.storage).catch(noneWhenUnavailable);
      const strangers = await strangeEvents(service.storage).catch(noneWhenUnavailable);
      await service.close(0);
      await model.close();
      if (options.dataHome === undefined) await rm(dataHome, { recursive: true, force: true });
      // Whatever a test did, projections must agree with the record.
      if (differences.length > 0)
        throw new Error(`Stored, but not so in the record: ${JSON.stringify(differences)}`);
      if (strangers.length > 0) throw new Error(strangers[0]);
    },
  };
}

/** Returns no differences when a test has taken the database away. */
function noneWhenUnavailable(error: unknown): readonly never[] {
  if (error instanceof ServiceError && error.code === 'unavailable') return [];
  throw error;
}

function complaintsLog(complaints: TestService['complaints']): Log {
  const complain = (fields: object, message: string): void => void complaints.push({ fields, message });
  return { debug: () => {}, info: () => {}, warn: complain, error: complain };
}

/** Creates a thread of the client and returns its id. */
export async function newThread(client: HttpClient, prefix = '/api/graph'): Promise<string> {
  const thread = await jsonOf<{ thread_id: string }>(client.post(`${prefix}/threads`, { metadata: {} }));
  return thread.thread_id;
}

/** Returns a request body with one question. */
export function question(content: string, fields: Record<string, unknown> = {}): Record<string, unknown> {
  return { assistant_id: 'lead_agent', input: { messages: [{ role: 'user', content }] }, ...fields };
}

/** Runs a question to its end and returns all frames. */
export async function streamed(
  client: HttpClient,
  threadId: string,
  body: Record<string, unknown>,
): Promise<TestFrame[]> {
  return allFrames(await client.post(`/api/graph/threads/${threadId}/runs/stream`, body));
}
