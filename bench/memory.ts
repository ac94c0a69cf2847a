// `node bench/memory.ts [pairs]`: what memory is worth and what it costs. A person says things over some weeks, changes some of them,
// and needs them later: how much of what is remembered is true (precision), how much of what is true is remembered (recall), and how
// often a prompt has the fact that a question needs. Then, by turns, the time to the first token with a hundred facts, with fifty
// schedules, and with neither.
//
// MODEL_URL, MODEL_NAME and MODEL_KEY name a real model that looks for the facts; without them a scripted, careless one does.
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { answer } from '../test/support/model-server/answer.ts';
import { startModelServer } from '../test/support/model-server.ts';
import { carelessAnswer } from './careless-reader.ts';
import { conversations, TOPICS } from './memory-conversations.ts';
import { machine } from './report.ts';
import { table } from './report-table.ts';
import { quantile } from './run-client.ts';
import { type RunningService, signUp, startService } from './service.ts';

const [pairs = '300'] = process.argv.slice(2);
const { MODEL_URL, MODEL_NAME, MODEL_KEY } = process.env;
const BUDGETS = [100, 200, 400, 1_500];
const FACTS = 100;
const SCHEDULES = 50;
const WARM_UP = 20;
const SETTLED_MS = 60;
const CONTENT = 'Good.';

const messagesSchema = z.array(z.object({ role: z.string(), content: z.string() }));
const memorySchema = z.object({ facts: z.array(z.object({ content: z.string() })) });

interface Person {
  readonly port: number;
  readonly headers: Readonly<Record<string, string>>;
}

const model = await startModelServer();
let reads = 0;
/** The reply of the agent, and the prompt of its model call. */
let says = CONTENT;
let prompt = '';
model.onRequest(async (request) => {
  const messages = messagesSchema.parse(request.body.messages);
  const last = messages.at(-1)?.content ?? '';
  if (!messages[0]?.content.startsWith('You keep what an assistant remembers')) {
    prompt = last;
    return answer.text(says);
  }
  const found = MODEL_URL === undefined ? carelessAnswer(last) : await askedReally(messages);
  reads += 1;
  return answer.text([found]);
});

const lines = [...(await quality()), '', ...(await cost())];
await model.close();
const page = `# What memory is worth and what it costs\n\n${machine()}\n\n${lines.join('\n')}\n`;
const folder = fileURLToPath(new URL('results/', import.meta.url));
mkdirSync(folder, { recursive: true });
writeFileSync(`${folder}${new Date().toISOString().slice(0, 10)}-memory.md`, page);
process.stdout.write(page);

async function askedReally(messages: readonly object[]): Promise<string> {
  const response = await fetch(`${MODEL_URL}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${MODEL_KEY ?? ''}` },
    body: JSON.stringify({ model: MODEL_NAME, messages }),
  });
  const shape = z.object({ choices: z.array(z.object({ message: z.object({ content: z.string() }) })) });
  return shape.parse(await response.json()).choices[0]?.message.content ?? '';
}

/** Everything is said, then asked for with each budget of tokens. */
async function quality(): Promise<readonly string[]> {
  const learnt = await lived();
  const rows: (readonly string[])[] = [];
  for (const budget of BUDGETS) rows.push(await answerable(learnt, budget));
  const expected = TOPICS.map(({ key, change }) => change?.key ?? key);
  const words = learnt.map((it) => it.toLowerCase());
  const isTrue = words.filter((it) => expected.some((key) => it.includes(key))).length;
  const isKnown = expected.filter((key) => words.some((it) => it.includes(key))).length;
  const reader = MODEL_URL === undefined ? 'a scripted, careless reader' : (MODEL_NAME ?? 'a model');
  return [
    `${conversations().length} conversations about ${TOPICS.length} things, read by ${reader}:`,
    '',
    table(
      ['what', 'figure'],
      [
        ['facts in the end', `${learnt.length}`],
        ['precision: true ones among them', share(isTrue, learnt.length)],
        ['recall: true things that are known', share(isKnown, expected.length)],
      ],
    ),
    '',
    'Questions weeks later whose prompt has the fact that they need:',
    '',
    table(['tokens of facts in a prompt', 'questions', 'facts in a prompt'], rows),
  ];
}

async function lived(): Promise<readonly string[]> {
  const service = await startService(modelPort(), {
    memory: ['extraction:', '  enabled: true', '  delay_seconds: 0'],
  });
  try {
    const ada = await person(service, 'ada@example.com');
    for (const [index, { says: words, agent }] of conversations().entries()) {
      const { thread_id } = await sent(ada, 'POST /api/graph/threads', {});
      says = agent;
      await turn(ada, String(thread_id), 'Hello');
      says = CONTENT;
      await turn(ada, String(thread_id), words);
      // Both runs may have been read together, or one after the other.
      while (reads <= index) await pause();
      await pause();
    }
    await pause();
    const { facts } = memorySchema.parse(await sent(ada, 'GET /api/memory'));
    return facts.map(({ content }) => content);
  } finally {
    await service.end();
  }
}

async function answerable(facts: readonly string[], budget: number): Promise<readonly string[]> {
  const service = await startService(modelPort(), { memory: [`max_prompt_tokens: ${budget}`] });
  try {
    const ada = await person(service, 'ada@example.com');
    await brought(ada, facts);
    let answered = 0;
    let shown = 0;
    for (const { asks, key, change } of TOPICS) {
      const { thread_id } = await sent(ada, 'POST /api/graph/threads', {});
      await turn(ada, String(thread_id), asks);
      const told = prompt.split('\n').filter((it) => it.startsWith('{"fact"'));
      shown += told.length;
      if (told.some((it) => it.toLowerCase().includes(change?.key ?? key))) answered += 1;
    }
    return [`${budget}`, share(answered, TOPICS.length), (shown / TOPICS.length).toFixed(1)];
  } finally {
    await service.end();
  }
}

/** Three people take turns: one has a hundred facts, one fifty schedules, one neither. Milliseconds to the first word of the answer. */
async function cost(): Promise<readonly string[]> {
  const service = await startService(modelPort());
  try {
    const plain = await person(service, 'plain@example.com');
    const remembered = await person(service, 'remembered@example.com');
    const scheduled = await person(service, 'scheduled@example.com');
    const facts = Array.from(
      { length: FACTS },
      (_, n) => `Keeps ${n} bees in hive number ${n} of the garden`,
    );
    await brought(remembered, facts);
    for (let n = 0; n < SCHEDULES; n++)
      await sent(scheduled, 'POST /api/schedules', { name: `${n}`, prompt: 'hello', cron: '0 0 1 1 *' });
    const people = [plain, remembered, scheduled];
    const rounds: (readonly number[])[] = [];
    for (let round = -WARM_UP; round < Number(pairs); round++) {
      const took: number[] = [];
      for (const turn of people.keys()) {
        const who = (turn + Math.abs(round)) % people.length;
        const one = people[who];
        if (one !== undefined) took[who] = await firstToken(one);
      }
      if (round >= 0) rounds.push(took);
    }
    const of = (who: number) => rounds.map((it) => it[who] ?? Number.NaN);
    const beside = (who: number) => {
      const ratios = rounds.map((it) => (it[who] ?? Number.NaN) / (it[0] ?? Number.NaN));
      return [0.25, 0.5, 0.75].map((part) => quantile(ratios, part).toFixed(3));
    };
    return [
      `The first token of a new chat comes after ${quantile(of(0), 0.5).toFixed(2)} ms (median of ${pairs}); in turns with it, as a ratio:`,
      '',
      table(
        ['a person with', 'lower quartile', 'median', 'upper quartile'],
        [
          [`${FACTS} facts`, ...beside(1)],
          [`${SCHEDULES} schedules`, ...beside(2)],
        ],
      ),
    ];
  } finally {
    await service.end();
  }
}

async function firstToken(person: Person): Promise<number> {
  const { thread_id } = await sent(person, 'POST /api/graph/threads', {});
  const began = performance.now();
  const response = await asked(person, `POST /api/graph/threads/${thread_id}/runs/stream`, {
    ...question('How are the bees?'),
    stream_mode: ['messages-tuple'],
  });
  let text = '';
  let took = 0;
  const decoder = new TextDecoder();
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes, { stream: true });
    if (took === 0 && text.includes('"content":"Good')) took = performance.now() - began;
  }
  return took;
}

function question(words: string): object {
  return { assistant_id: 'lead_agent', input: { messages: [{ role: 'user', content: words }] } };
}

function turn(who: Person, threadId: string, words: string) {
  return sent(who, `POST /api/graph/threads/${threadId}/runs/wait`, question(words));
}

function brought(who: Person, facts: readonly string[]) {
  return sent(who, 'POST /api/memory/import', { facts: facts.map((content) => ({ content })) });
}

async function person({ port }: RunningService, email: string): Promise<Person> {
  const { headers } = await signUp(port, email);
  return { port, headers };
}

async function asked({ port, headers }: Person, request: string, body?: object): Promise<Response> {
  const [method = '', path = ''] = request.split(' ');
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${request}: ${response.status} ${await response.text()}`);
  return response;
}

async function sent(who: Person, request: string, body?: object): Promise<Record<string, unknown>> {
  return z.record(z.string(), z.unknown()).parse(await (await asked(who, request, body)).json());
}

function modelPort(): number {
  return Number(new URL(model.url).port);
}

function share(part: number, whole: number): string {
  return `${part} of ${whole} (${((100 * part) / Math.max(1, whole)).toFixed(0)} %)`;
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
}
