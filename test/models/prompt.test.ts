// The history as sent to a provider: valid whatever happened in the thread, and converted once.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  aiMessage,
  humanMessage,
  type Message,
  type ToolCall,
  toolMessage,
} from '../../src/messages/message.ts';
import { createPromptConverter } from '../../src/models/prompt/to-prompt.ts';
import { quirksOf } from '../../src/models/quirks/quirks.ts';
import { answer } from '../support/model-server/answer.ts';
import { type ModelServer, startModelServer } from '../support/model-server.ts';
import { outcomeOf, testModel, threadWithTool } from './call.ts';

let server: ModelServer;

beforeAll(async () => {
  server = await startModelServer();
});
afterEach(() => server.reset());
afterAll(() => server.close());

const PNG = 'data:image/png;base64,iVBORw0KGgo=';

function toolCall(id: string, path = `/${id}`): ToolCall {
  return { type: 'tool_call', id, name: 'read_file', args: { path } };
}

function calling(id: string, ...calls: readonly ToolCall[]): Message {
  return aiMessage(id, '', { tool_calls: calls });
}

async function sentFor(messages: readonly Message[], fields: Record<string, unknown> = {}) {
  server.enqueue(answer.text('ok'));
  const outcome = await outcomeOf(testModel({ base_url: server.url, ...fields }), { messages, system: '' });
  if (outcome.error !== undefined) throw outcome.error;
  const sent = server.requests.at(-1)?.body.messages;
  return Array.isArray(sent) ? sent : [];
}

const roles = (sent: readonly { role: string }[]) => sent.map((message) => message.role);

describe('tool pairs', () => {
  it('[models.prompt.tool-pairs] [fault.F53] a call without a result gets one that says so, directly after it', async () => {
    const sent = await sentFor([
      humanMessage('h', 'a'),
      calling('a', toolCall('c1'), toolCall('c2')),
      humanMessage('i', 'b'),
    ]);
    expect(roles(sent)).toEqual(['user', 'assistant', 'tool', 'tool', 'user']);
    expect(sent[2]).toMatchObject({ tool_call_id: 'c1', content: expect.stringContaining('not known') });
    expect(sent[3]).toMatchObject({ tool_call_id: 'c2' });
  });

  it('[models.prompt.tool-pairs] results follow the calls in their order, even if they came late', async () => {
    const [one, two] = [toolCall('c1'), toolCall('c2')];
    const sent = await sentFor([
      humanMessage('h', 'a'),
      calling('a', one, two),
      toolMessage('t2', two, { content: 'second' }),
      humanMessage('i', 'are you there?'),
      toolMessage('t1', one, { content: 'first' }),
    ]);
    expect(roles(sent)).toEqual(['user', 'assistant', 'tool', 'tool', 'user']);
    expect(sent[2]).toMatchObject({ tool_call_id: 'c1', content: 'first' });
    expect(sent[3]).toMatchObject({ tool_call_id: 'c2', content: 'second' });
  });

  it('[models.prompt.tool-pairs] results without a call are omitted', async () => {
    const orphan = toolMessage('t', toolCall('gone'), { content: 'whose?' });
    const sent = await sentFor([
      humanMessage('h', 'a'),
      orphan,
      aiMessage('x', 'Yes.'),
      orphan,
      humanMessage('i', 'b'),
    ]);
    expect(roles(sent)).toEqual(['user', 'assistant', 'user']);
  });

  it('[models.prompt.tool-pairs] one id in two messages keeps each result with its own call', async () => {
    const call = toolCall('call_0');
    const sent = await sentFor([
      humanMessage('h', 'a'),
      calling('a', call),
      toolMessage('t1', call, { content: 'first' }),
      calling('b', call),
      toolMessage('t2', call, { content: 'second' }),
    ]);
    expect(sent.filter((it) => it.role === 'tool').map((it) => it.content)).toEqual(['first', 'second']);

    const late = [
      calling('a', call),
      calling('b', call),
      toolMessage('t', call, { content: 'of the second' }),
    ];
    const results = (await sentFor([humanMessage('h', 'a'), ...late])).filter((it) => it.role === 'tool');
    expect(results.map((it) => it.content)).toEqual([expect.stringContaining('not known'), 'of the second']);
  });
});

describe('order of roles', () => {
  it('[models.prompt.text] consecutive texts of the person are one text, as some servers accept no list', async () => {
    const sent = await sentFor([
      humanMessage('h1', 'one'),
      humanMessage('h2', 'two'),
      humanMessage('h3', 'three'),
    ]);
    expect(sent).toEqual([{ role: 'user', content: 'one\n\ntwo\n\nthree' }]);
  });

  it('[models.prompt.roles] [fault.F53] one instruction at the start, alternating roles, a person first and last', async () => {
    const sent = await sentFor([
      aiMessage('a0', 'Hello.'),
      { ...humanMessage('s', 'Rule.'), type: 'system' },
      humanMessage('h1', 'one'),
      humanMessage('h2', 'two'),
      aiMessage('a1', ''),
      aiMessage('a2', 'yes'),
    ]);
    expect(sent[0]).toEqual({ role: 'system', content: 'Rule.' });
    expect(roles(sent)).toEqual(['system', 'user', 'assistant', 'user', 'assistant', 'user']);
    expect(sent[3]).toMatchObject({ content: 'one\n\ntwo' });
    expect(sent.at(-1)).toMatchObject({ content: 'Continue.' });
  });

  it('[models.prompt.roles] a message without text is no empty message', async () => {
    expect(await sentFor([humanMessage('h', '')])).toEqual([{ role: 'user', content: '(no text)' }]);
  });
});

describe('images', () => {
  const withImage = humanMessage('h', [
    { type: 'text', text: 'What is this?' },
    { type: 'image_url', image_url: { url: PNG } },
    { type: 'image_url', image_url: { url: 'https://example.com/cat.png' } },
  ]);

  it('[models.prompt.images] are sent to a model that supports them', async () => {
    const [user] = await sentFor([withImage], { supports_vision: true });
    expect(user.content).toEqual([
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: PNG } },
      { type: 'image_url', image_url: { url: 'https://example.com/cat.png' } },
    ]);
  });

  it('[models.prompt.images] are descriptions for a model that does not support them', async () => {
    const [user] = await sentFor([withImage]);
    expect(JSON.stringify(user.content)).not.toContain('base64');
    expect(JSON.stringify(user.content)).toContain('cannot see');
  });
});

describe('reasoning', () => {
  const reasons = (id: string, calls: readonly ToolCall[]) =>
    aiMessage(id, 'So.', { tool_calls: calls, additional_kwargs: { reasoning_content: 'Hm.' } });

  it('[models.prompt.reasoning] is sent back between a call and its result, and nowhere else', async () => {
    const call = toolCall('c');
    const thread = [
      humanMessage('h', 'a'),
      reasons('a', [call]),
      toolMessage('t', call, { content: 'r' }),
      reasons('b', []),
    ];
    const sent = (await sentFor([...thread, humanMessage('i', 'b')])).filter((it) => it.role === 'assistant');
    expect(sent[0]).toMatchObject({ reasoning_content: 'Hm.' });
    expect(sent[1]).not.toHaveProperty('reasoning_content');
  });
});

describe('cache', () => {
  it('[models.prompt.cached] a message is converted once, however often its thread is sent', () => {
    const rules = { provider: 'google', supportsVision: false } as const;
    const converter = createPromptConverter(rules, quirksOf('google'));
    const thread = threadWithTool();
    const first = converter.toPrompt({ system: 'S', messages: thread });
    const second = converter.toPrompt({
      system: 'S',
      messages: [...thread, aiMessage('a9', 'x'), humanMessage('h9', 'y')],
    });
    expect(second).toHaveLength(first.length + 2);
    first.forEach((message, index) => {
      if (message.role === 'user' || message.role === 'assistant') expect(second[index]).toBe(message);
      if (message.role === 'tool') expect(second[index]?.content[0]).toBe(message.content[0]);
    });
  });
});
