// A stream that is watched for pauses, and a neighbour's long conversation that causes work.
import type { HttpClient } from '../support/http-client.ts';
import { jsonOf, type RunJson } from '../support/json-of.ts';
import { type Answer, answer } from '../support/model-server/answer.ts';
import { type Step, step } from '../support/model-server/step.ts';
import { newThread, question } from '../support/service.ts';
import { framesOf } from '../support/sse.ts';

const STREAMED = 'say much';
/** Enough for half a minute at least; the test stops the stream before. */
const TOKENS = 3_000;
const BETWEEN_TOKENS_MS = 10;

/** For `model.onRequest`: a long series of tokens for the watched stream, one word for all other requests. */
export function neighbourlyAnswer({ lastUserText }: { readonly lastUserText: string }): Answer {
  if (lastUserText !== STREAMED) return answer.text('fine');
  const token = (): readonly Step[] => [step.pause(BETWEEN_TOKENS_MS), step.text('token ')];
  return answer.script(...Array.from({ length: TOKENS }, token).flat());
}

/** Milliseconds between two tokens: elapsed, and worked by this thread. */
interface Standstill {
  readonly longest: number;
  readonly longestWork: number;
  readonly tokens: number;
}

export interface WatchedStream {
  /** Waits for one more token; returns the pauses since the last call. */
  since(): Promise<Standstill>;
  /** Resolves after this many more tokens. */
  tokens(count: number): Promise<void>;
  stop(): Promise<void>;
}

export async function watchStream(client: HttpClient): Promise<WatchedStream> {
  const threadId = await newThread(client);
  const body = question(STREAMED, { stream_mode: ['messages-tuple'] });
  const response = await client.post(`/api/graph/threads/${threadId}/runs/stream`, body);
  const clock = (): Readonly<{ at: number; work: number }> => ({ at: performance.now(), work: workMs() });
  let last = clock();
  let longest = 0;
  let longestWork = 0;
  let count = 0;
  let next = Promise.withResolvers<void>();
  const reading = (async () => {
    for await (const { event } of framesOf(response)) {
      if (event !== 'messages') continue;
      const now = clock();
      longest = Math.max(longest, now.at - last.at);
      longestWork = Math.max(longestWork, now.work - last.work);
      last = now;
      count += 1;
      next.resolve();
      next = Promise.withResolvers();
      next.promise.catch(() => {});
    }
    next.reject(new Error('The stream that is watched has ended.'));
  })();
  next.promise.catch(() => {});
  const tokens = async (wanted: number): Promise<void> => {
    for (const from = count; count < from + wanted; ) await next.promise;
  };
  await tokens(1);
  return {
    tokens,
    async since() {
      await tokens(1);
      const standstill = { longest, longestWork, tokens: count };
      [longest, longestWork, count] = [0, 0, 0];
      return standstill;
    },
    async stop() {
      const runs = `/api/graph/threads/${threadId}/runs`;
      const [run] = await jsonOf<readonly RunJson[]>(client.get(`${runs}?limit=1`));
      await client.post(`${runs}/${run?.run_id}/cancel?wait=1`);
      await reading;
    },
  };
}

function workMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** Adds this many turns of this many messages, as a client writes them; returns the checkpoints in order. */
export async function fillThread(
  client: HttpClient,
  threadId: string,
  { turns, ofTurn }: { readonly turns: number; readonly ofTurn: number },
) {
  const checkpoints: string[] = [];
  const messages: string[] = [];
  for (let turn = 0; turn < turns; turn++) {
    const said = Array.from({ length: ofTurn }, (_, n) => ({
      type: n === 0 ? 'human' : 'ai',
      id: `${threadId}-${turn}-${n}`,
      content: `This is message ${n} of turn ${turn} in a conversation that is a long one by now.`,
    }));
    const written = client.post(`/api/graph/threads/${threadId}/state`, { values: { messages: said } });
    const { checkpoint } = await jsonOf<{ checkpoint: { checkpoint_id: string } }>(written);
    checkpoints.push(checkpoint.checkpoint_id);
    messages.push(...said.map(({ id }) => id));
  }
  return { checkpoints, messages };
}
