// A thread that becomes too long for its model, and the requests that the model received.
import type { HttpClient } from '../support/http-client.ts';
import { jsonOf, type RunJson, type StateJson } from '../support/json-of.ts';
import { type Answer, answer } from '../support/model-server/answer.ts';
import { MODES } from '../support/run-stream.ts';
import {
  newThread,
  openTestService,
  question,
  streamed,
  type TestService,
  type TestServiceOptions,
} from '../support/service.ts';
import { dataOf, type TestFrame } from '../support/sse.ts';

type Request = TestService['model']['requests'][number];

interface Sent {
  readonly role: string;
  readonly content: unknown;
}

type CompactedState = StateJson & {
  readonly values: { readonly summary?: { readonly text: string; readonly message_count: number } };
};

export const SUMMARY = 'The person likes olives.';
/** About 200 tokens. */
export const LONG = 'olives and bread '.repeat(47).trim();
/** The entry of a model whose window five long messages fill, and the usage of a reply that reports that. */
export const WINDOW = { context_window: 1_000 };
export const FULL = { usage: { prompt: 790, completion: 20 } };

export interface LongThread {
  readonly test: TestService;
  readonly client: HttpClient;
  readonly threadId: string;
  /** Sets the replies to the agent and to requests for summaries. */
  answer(agent: (request: Request) => Answer, summary?: () => Answer): void;
  /** Asks one question, and reads to the end of its run. */
  ask(text: string, fields?: Record<string, unknown>): Promise<readonly TestFrame[]>;
  /** Asks `count` long questions, each with the reply `fine`. */
  askLong(count: number): Promise<void>;
  /** The model requests of the agent, and those for summaries. */
  agentRequests(): readonly Request[];
  summaryRequests(): readonly Request[];
  lastRequest(): Request;
  state(): Promise<CompactedState>;
  /** Newest first. */
  history(): Promise<readonly CompactedState[]>;
  lastRun(): Promise<RunJson & { readonly middleware_tokens: number }>;
}

export async function openLongThread(
  scripted: Record<string, unknown>,
  options: TestServiceOptions = {},
): Promise<LongThread> {
  const test = await openTestService({ scripted, ...options });
  const client = await test.user();
  const threadId = await newThread(client);
  const thread = `/api/graph/threads/${threadId}`;
  const agentRequests = () => test.model.requests.filter((it) => !asksForSummary(it));
  const ask: LongThread['ask'] = (text, fields = {}) =>
    streamed(client, threadId, question(text, { stream_mode: MODES, ...fields }));
  const answerAll: LongThread['answer'] = (agent, summary = () => answer.text(SUMMARY)) =>
    test.model.onRequest((request) => (asksForSummary(request) ? summary() : agent(request)));
  answerAll(() => answer.text('fine'));
  return {
    test,
    client,
    threadId,
    answer: answerAll,
    ask,
    async askLong(count) {
      for (let number = 1; number <= count; number++) await ask(`${number} ${LONG}`);
    },
    agentRequests,
    summaryRequests: () => test.model.requests.filter(asksForSummary),
    lastRequest: () => only(agentRequests().at(-1)),
    state: () => jsonOf<CompactedState>(client.get(`${thread}/state`)),
    history: () => jsonOf<CompactedState[]>(client.post(`${thread}/history`, { limit: 100 })),
    lastRun: async () => only((await jsonOf<LastRun[]>(client.get(`${thread}/runs?limit=1`)))[0]),
  };
}

type LastRun = Awaited<ReturnType<LongThread['lastRun']>>;

/** Whether a request is for a summary: those have no tools. */
export function asksForSummary({ body }: Pick<Request, 'body'>): boolean {
  return body.tools === undefined;
}

export function only<T>(found: T | undefined): T {
  if (found === undefined) throw new Error('There is none.');
  return found;
}

export function sentOf({ body }: Request): readonly Sent[] {
  return body.messages as readonly Sent[];
}

export function textsOf(request: Request): string {
  return JSON.stringify(sentOf(request));
}

/** Returns the progress that clients are shown. */
export function summarizations(frames: readonly TestFrame[]) {
  return dataOf<{ type: string; status: string; replaced_count: number }>(frames, 'custom').filter(
    ({ type }) => type === 'summarization',
  );
}
