// The service as a separate process with a scripted model, and a client that records every frame.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHttpClient, type HttpClient } from '../support/http-client.ts';
import { type ModelServer, startModelServer } from '../support/model-server.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';
import { framesOf, type TestFrame } from '../support/sse.ts';

export interface FaultService {
  readonly process: ServiceProcess;
  readonly model: ModelServer;
  /** Signed in as the administrator; its session survives restarts. */
  readonly client: HttpClient;
  remove(): Promise<void>;
}

/** `through` and `env` as in `startServiceProcess`. */
export async function startFaultService(
  config: Record<string, unknown> = {},
  through: readonly string[] = [],
  own: Readonly<Record<string, string>> = {},
): Promise<FaultService> {
  const model = await startModelServer();
  const folder = await mkdtemp(join(tmpdir(), 'agent-service-config-'));
  const configFile = join(folder, 'config.yaml');
  const models = [
    { name: 'scripted', provider: 'openai-compatible', model: 'scripted-1', base_url: model.url },
  ];
  // JSON is YAML.
  await writeFile(configFile, JSON.stringify({ models, ...config }));
  const env = { CONFIG_FILE: configFile, LOG_LEVEL: 'warn', ...own };
  const process = await startServiceProcess({ env, through });
  const client = createHttpClient({ request: (path, init) => fetch(`${process.url}${path}`, init) });
  const signedIn = await client.signIn(await process.credentials());
  if (signedIn.status !== 200) throw new Error(`Signing in failed: ${await signedIn.text()}`);
  return {
    process,
    model,
    client,
    async remove() {
      await process.remove();
      await model.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Reads until `enough` returns true or the connection breaks; returns the frames received up to then. */
export async function receive(
  response: Response,
  enough: (frames: readonly TestFrame[]) => boolean,
): Promise<TestFrame[]> {
  const frames: TestFrame[] = [];
  try {
    for await (const frame of framesOf(response)) {
      frames.push(frame);
      if (enough(frames)) break;
    }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
  return frames;
}
