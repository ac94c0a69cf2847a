// A client that never gives up: it repeats requests under the same key, and resumes reading after its last
// id.
import { randomUUID } from 'node:crypto';
import { createHttpClient, type HttpClient } from '../support/http-client.ts';
import { MODES } from '../support/run-stream.ts';
import { question } from '../support/service.ts';
import { dataOf, type TestFrame } from '../support/sse.ts';
import type { CrashingProcess } from './crashing-process.ts';
import { receive } from './fault-service.ts';

const PREFIX = '/api/graph/threads';
const MAX_TRIES = 200;
/** One connection per request, since a connection of a dead process does not lead to its successor. */
const OWN_CONNECTION = { connection: 'close' };

export interface StubbornClient {
  readonly http: HttpClient;
  newThread(): Promise<string>;
  /** Asks, and reads to the end whatever happens; returns every frame received, and the run. */
  ask(threadId: string, text: string, how?: AskedHow): Promise<Asked>;
  /** Reads the run from `after` to its end whatever happens. */
  follow(threadId: string, runId: string, after?: readonly TestFrame[]): Promise<readonly TestFrame[]>;
  /** Repeats a request until the response is neither a broken connection nor 503. */
  persist(send: () => Promise<Response>): Promise<Response>;
}

interface AskedHow {
  /** Further fields of the body. */
  readonly fields?: Record<string, unknown>;
  /** Called with every frame of the first connection as it arrives. */
  readonly onFrame?: (frame: TestFrame) => void;
}

interface Asked {
  readonly runId: string;
  readonly frames: readonly TestFrame[];
  /** The number of frames when the first connection broke; absent when none did. */
  readonly brokeAfter?: number;
}

/** Creates a client with a new account, or with the `cookies` of an existing one. */
export async function createStubbornClient(
  process: Pick<CrashingProcess, 'up'>,
  cookies?: ReadonlyMap<string, string>,
): Promise<StubbornClient> {
  const http = createHttpClient({
    request: async (path, init) => {
      const headers = { ...OWN_CONNECTION, ...(init?.headers as Record<string, string> | undefined) };
      return fetch(`${await process.up()}${path}`, { ...init, headers });
    },
  });

  const persist = async (send: () => Promise<Response>): Promise<Response> => {
    for (let attempt = 1; attempt <= MAX_TRIES; attempt++) {
      const response = await send().catch((error: unknown) => {
        if (error instanceof TypeError) return undefined;
        throw error;
      });
      if (response !== undefined && response.status !== 503) return response;
      await response?.body?.cancel();
      // The process dies a moment after its connections do.
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    throw new Error(`No answer after ${MAX_TRIES} tries.`);
  };

  const follow: StubbornClient['follow'] = async (threadId, runId, after = []) => {
    const frames = [...after];
    const path = `${PREFIX}/${threadId}/runs/${runId}/stream?${MODES.map((it) => `stream_mode=${it}`).join('&')}`;
    for (let attempt = 1; frames.at(-1)?.event !== 'end' && attempt <= MAX_TRIES; attempt++) {
      const last = frames.at(-1);
      const headers = last === undefined ? {} : { 'last-event-id': last.id };
      const response = await persist(() => http.get(path, headers));
      if (response.status !== 200) throw new Error(`Reading on: ${response.status} ${await response.text()}`);
      frames.push(...(await receive(response, () => false)));
    }
    return frames;
  };

  if (cookies === undefined) {
    const name = `u${randomUUID()}@example.com`;
    await persist(() => http.register({ email: name, password: 'correct horse battery' }));
  } else for (const [name, value] of cookies) http.cookies.set(name, value);
  return {
    http,
    persist,
    follow,
    async newThread() {
      const threadId = randomUUID();
      const created = await persist(() =>
        http.post(PREFIX, { thread_id: threadId, if_exists: 'do_nothing' }),
      );
      if (created.status !== 200) throw new Error(`No thread: ${await created.text()}`);
      return threadId;
    },
    async ask(threadId, text, { fields = {}, onFrame } = {}) {
      const key = { 'idempotency-key': randomUUID() };
      const body = question(text, { stream_mode: MODES, ...fields });
      let frames: readonly TestFrame[] = [];
      while (frames.length === 0) {
        const response = await persist(() => http.post(`${PREFIX}/${threadId}/runs/stream`, body, key));
        if (response.status !== 200) throw new Error(`Asking: ${response.status} ${await response.text()}`);
        frames = await receive(response, (soFar) => {
          const last = soFar.at(-1);
          if (last !== undefined) onFrame?.(last);
          return false;
        });
      }
      const [metadata] = dataOf<{ run_id: string }>(frames, 'metadata');
      const runId = metadata?.run_id ?? '';
      const cut = frames.at(-1)?.event === 'end' ? {} : { brokeAfter: frames.length };
      return { runId, frames: await follow(threadId, runId, frames), ...cut };
    },
  };
}
