// Replies that are cut off, malformed, empty or withheld: how the run ends, and what the person reads.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { jsonOf, type RunJson, type StateJson } from '../support/json-of.ts';
import { type Answer, answer } from '../support/model-server/answer.ts';
import { step } from '../support/model-server/step.ts';
import { ls } from '../support/scripted-subagents.ts';
import { newThread, openTestService, question, streamed, type TestService } from '../support/service.ts';
import { dataOf } from '../support/sse.ts';

let test: TestService;
beforeAll(async () => {
  test = await openTestService();
});
afterEach(() => test.model.reset());
afterAll(() => test.close());

async function run(...answers: readonly Answer[]) {
  const client = await test.user('asker');
  const threadId = await newThread(client);
  test.model.enqueue(...answers);
  const modes = { stream_mode: ['values', 'messages-tuple'] };
  const frames = await streamed(client, threadId, question('hi', modes));
  const path = `/api/graph/threads/${threadId}`;
  const [ended] = await jsonOf<RunJson[]>(client.get(`${path}/runs?limit=1`));
  const { values } = await jsonOf<StateJson>(client.get(`${path}/state`));
  const contents = values.messages.map(({ type, content }) => `${type}: ${content}`);
  return { frames, ended, contents, last: values.messages.at(-1), asked: test.model.requests.length };
}

const filtered = { finishReason: 'content_filter' };
/** A reply that begins a call and ends before its arguments do. */
const cutCall = () =>
  answer.script(
    step.callPiece({ index: 0, id: 'c1', name: 'ls', args: '{"path": "/mnt' }),
    step.finish('length'),
    step.usage({ prompt: 10, completion: 5 }),
    step.done(),
  );

describe('an empty reply', () => {
  it('[answers.empty] is requested once more, and its tokens are counted', async () => {
    const { ended, contents, asked } = await run(answer.text(''), answer.text('Here I am'));
    expect(contents).toEqual(['human: hi', 'ai: Here I am']);
    expect(ended).toMatchObject({ status: 'success', llm_call_count: 2, total_tokens: 30 });
    expect(asked).toBe(2);
  });

  it('[answers.empty] with thoughts alone is replaced by the next one', async () => {
    const { frames, contents } = await run(answer.reasoning('Hm.', ''), answer.text('Here'));
    expect(contents).toEqual(['human: hi', 'ai: Here']);
    const messages = dataOf<[{ id: string; type: string }]>(frames, 'messages').map(([it]) => it);
    expect(messages.filter(({ type }) => type === 'remove')).toHaveLength(1);
    expect(new Set(messages.map(({ id }) => id)).size).toBe(1);
  });

  it('[answers.empty] ends the run the second time, since a model that is done may say nothing', async () => {
    const { ended, contents, asked } = await run(
      answer.toolCalls([ls('l')]),
      answer.text(''),
      answer.text(''),
    );
    expect(contents).toEqual(['human: hi', 'ai: ', 'tool: (empty)', 'ai: ']);
    expect(ended).toMatchObject({ status: 'success', stop_reason: 'completed' });
    expect(asked).toBe(3);
  });
});

describe('a reply that is withheld', () => {
  it('[answers.refused] ends the run with a sentence, and is not requested again', async () => {
    const { ended, contents, asked, frames } = await run(answer.text('', filtered));
    expect(ended).toMatchObject({ status: 'error', stop_reason: 'model_error' });
    expect(ended?.error).toMatch(/^The provider of model 'scripted' held its answer back.*another way/);
    expect(dataOf<object>(frames, 'error')).toEqual([{ error: 'ModelError', message: ended?.error }]);
    expect(contents).toEqual(['human: hi', 'ai: ']);
    expect(asked).toBe(1);
  });

  it('[answers.refused] keeps its text, and makes none of its calls', async () => {
    const { ended, last } = await run(answer.toolCalls([ls('l')], { text: 'I will look', ...filtered }));
    expect(ended).toMatchObject({ status: 'error', stop_reason: 'model_error' });
    expect(last).toMatchObject({ type: 'ai', content: 'I will look', tool_calls: [] });
  });
});

describe('a reply that is cut off', () => {
  it('[answers.cut] at its maximum length is kept, and reports it', async () => {
    const { ended, last, asked } = await run(answer.text('As long as', { finishReason: 'length' }));
    expect(ended).toMatchObject({ status: 'success', stop_reason: 'completed' });
    expect(last).toMatchObject({ content: 'As long as', response_metadata: { finish_reason: 'length' } });
    expect(asked).toBe(1);
  });

  it('[answers.cut] in the middle of a call is requested once more; then the run fails with advice', async () => {
    const { ended, asked, last } = await run(cutCall(), cutCall());
    expect(ended).toMatchObject({ status: 'error', stop_reason: 'model_error' });
    expect(ended?.error).toMatch(/longest length.*in the middle of a tool call.*smaller pieces.*max_tokens/);
    expect(last).toMatchObject({ type: 'human' });
    expect(asked).toBe(2);
  });

  it('[answers.malformed] with broken arguments is requested once more', async () => {
    const { ended, contents } = await run(answer.truncatedToolJson(), answer.text('Without it'));
    expect(ended?.status).toBe('success');
    expect(contents).toEqual(['human: hi', 'ai: Without it']);
  });
});
