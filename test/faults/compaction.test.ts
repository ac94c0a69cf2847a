// A kill while older messages are summarised (fault.F11): the model sees all of them or the summary.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cases } from '../support/amount.ts';
import { jsonOf, type StateJson } from '../support/json-of.ts';
import { type Answer, answer } from '../support/model-server/answer.ts';
import { step } from '../support/model-server/step.ts';
import { type ModelServer, startModelServer } from '../support/model-server.ts';
import { type CrashingProcess, startCrashingProcess } from './crashing-process.ts';
import type { CrashOrder } from './crashing-service.ts';
import { brokenInvariants, type ReadEvidence } from './invariants.ts';
import { createStubbornClient, type StubbornClient } from './stubborn-client.ts';
import { readThread } from './thread-evidence.ts';

type Request = ModelServer['requests'][number];
type State = StateJson & { readonly values: { readonly summary?: { readonly text: string } } };

/**
 * In tokens: three long questions and the service's instructions fit well below the trigger, four are far
 * above it.
 */
const WINDOW = 9_250;
const TRIGGER = 0.8;
const LONG = 'olives and bread '.repeat(470);
const SUMMARY = 'The person asked about olives, at length.';
const longQuestion = (number: number): string => `${number} ${LONG}`.trim();
const FIRST = [1, 2, 3].map(longQuestion);
const FOURTH = longQuestion(4);

const asksForSummary = ({ body }: Request): boolean => body.tools === undefined;
const tokensOf = ({ body }: Request): number => Math.ceil(JSON.stringify(body.messages).length / 4);

/** Replies from the prompt alone, word by word, and counts its tokens. */
function scripted(request: Request, refuses: boolean): Answer {
  const prompt = tokensOf(request);
  if (refuses && !asksForSummary(request) && prompt > TRIGGER * WINDOW) return answer.contextOverflow();
  const text = asksForSummary(request) ? SUMMARY : 'Olives are fine.';
  const words = text.split(/(?= )/).flatMap((word) => [step.text(word), step.pause(12)]);
  return answer.script(...words, step.finish(), step.usage({ prompt, completion: 10 }), step.done());
}

interface Place {
  readonly model: ModelServer;
  readonly process: CrashingProcess;
  readonly client: StubbornClient;
}

async function openPlace(refuses: boolean): Promise<Place> {
  const model = await startModelServer();
  model.onRequest((request) => scripted(request, refuses));
  const entry = {
    name: 'scripted',
    provider: 'openai-compatible',
    model: 'scripted-1',
    base_url: model.url,
    ...(refuses ? {} : { context_window: WINDOW }),
  };
  const agent = { compaction: { trigger: TRIGGER } };
  const process = await startCrashingProcess({ modelUrl: model.url, config: { models: [entry], agent } });
  return { model, process, client: await createStubbornClient(process) };
}

/** Fills a thread, asks a question during which the service dies, and another one. */
async function expectSurvival({ model, process, client }: Place, order: CrashOrder): Promise<void> {
  const deaths = process.deaths();
  const threadId = await client.newThread();
  const readers: ReadEvidence[] = [];
  const ask = async (text: string): Promise<void> => {
    const { runId, frames } = await client.ask(threadId, text);
    readers.push({ runId, received: frames, replayed: [] });
  };
  for (const text of FIRST) await ask(text);
  await process.up();
  process.arm(order);
  await ask(FOURTH);
  await process.up();
  // A slow machine has fewer, larger commits.
  const isCertain = !order.point.startsWith('commit.') || order.occurrence === 1;
  if (isCertain) expect(process.deaths() - deaths, `${order.point} was reached`).toBe(1);
  process.arm({ point: 'none', occurrence: 1 });
  await ask('and then?');

  const seen = await Promise.all(
    readers.map(async (it) => ({ ...it, replayed: await client.follow(threadId, it.runId) })),
  );
  const thread = readThread(join(process.dataHome, 'service.db'), threadId);
  expect(brokenInvariants(thread, seen, [])).toEqual([]);
  expect(thread.runs.map(({ status }) => status)).toEqual(Array(5).fill('success'));
  const asked = thread.folded.filter(({ type }) => type === 'human').map(({ content }) => content);
  expect(asked).toEqual([...FIRST, FOURTH, 'and then?']);
  const history = await jsonOf<State[]>(
    client.persist(() => client.http.post(`/api/graph/threads/${threadId}/history`, { limit: 100 })),
  );
  const summaries = history.flatMap(({ values }) => values.summary?.text ?? []);
  expect(new Set(summaries)).toEqual(new Set([SUMMARY]));
  const last = JSON.stringify(model.requests.at(-1)?.body.messages);
  expect(last).toContain(SUMMARY);
  expect(last).not.toContain('1 olives');
}

const each = (points: readonly string[], occurrences: readonly number[]) =>
  points.flatMap((point) => occurrences.map((occurrence): [string, number] => [point, occurrence]));

/** The first call writes the summary, the second one is the agent's. */
const BEFORE_THE_ANSWER = [
  ...each(['model.before'], [1, 2]),
  ...each(['model.token', 'model.after'], [1]),
  ...each(['commit.before', 'commit.after'], [1, 2, 3, 4]),
];
/** The first call is refused, the second one writes the summary, the third one is the agent's again. */
const AFTER_A_REFUSAL = [
  ...each(['model.before'], [2, 3]),
  ...each(['model.token', 'model.after'], [1, 2]),
  ...each(['commit.before', 'commit.after'], [2, 3]),
];

describe('kill -9 while a thread is summarised', () => {
  let window: Place;
  let refusing: Place;
  beforeAll(async () => {
    [window, refusing] = await Promise.all([openPlace(false), openPlace(true)]);
  });
  afterAll(async () => {
    await Promise.all([window.process.remove(), refusing.process.remove()]);
    await Promise.all([window.model.close(), refusing.model.close()]);
  });

  describe('because it fills the window of the model', () => {
    it.each(cases(BEFORE_THE_ANSWER, ([, occurrence]) => occurrence === 1))(
      '[fault.F11] at %s %i',
      (point, occurrence) => expectSurvival(window, { point, occurrence }),
    );
  });

  describe('because the provider refused it', () => {
    it.each(cases(AFTER_A_REFUSAL, ([, occurrence]) => occurrence === 2))(
      '[fault.F11] at %s %i',
      (point, occurrence) => expectSurvival(refusing, { point, occurrence }),
    );
  });
});
