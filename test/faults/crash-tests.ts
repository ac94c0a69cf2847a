// For tests that kill: a service that dies on command, its model, and a signed-in person.
import { afterAll, afterEach, beforeAll } from 'vitest';
import { type ModelServer, startModelServer } from '../support/model-server.ts';
import { type CrashingProcess, startCrashingProcess } from './crashing-process.ts';
import { createStubbornClient, type StubbornClient } from './stubborn-client.ts';

export interface CrashTests {
  readonly process: CrashingProcess;
  /** Its scripts are cleared after each test. */
  readonly model: ModelServer;
  readonly client: StubbornClient;
}

type Keys = Record<string, unknown>;

/**
 * For a file or a `describe`: one service for all of its tests. `config`: keys of the configuration file, which may name
 * the model server.
 */
export function crashTests(config: Keys | ((model: ModelServer) => Keys) = {}): CrashTests {
  let opened: CrashTests | undefined;
  beforeAll(async () => {
    const model = await startModelServer();
    const keys = typeof config === 'function' ? config(model) : config;
    const process = await startCrashingProcess({ modelUrl: model.url, config: keys });
    opened = { process, model, client: await createStubbornClient(process) };
  });
  afterEach(() => opened?.model.reset());
  afterAll(async () => {
    await opened?.process.remove();
    await opened?.model.close();
  });
  const present = (): CrashTests => {
    if (opened === undefined) throw new Error('It is there from the first test on.');
    return opened;
  };
  return {
    get process() {
      return present().process;
    },
    get model() {
      return present().model;
    },
    get client() {
      return present().client;
    },
  };
}
