// The responses of the model server: Server-Sent Events of the OpenAI protocol, as ready-made buffers.
import { prose } from './prose.ts';

/** One buffer per write; each holds a few events. */
export type Answer = readonly Buffer[];

const EVENTS_PER_WRITE = 8;

const LONG_THREAD_TOKENS = 200;
const LONG_THREAD_ANSWER_BYTES = 1_024;

/**
 * `padded`: every event has random padding, as OpenAI's own have, so each token stays an event and a frame of its own
 * whoever reads it. `plain`: events differ in nothing but their text, so a reader may join those that came together.
 */
export type Padding = 'padded' | 'plain';

/** An answer of so many chunks of text. */
export function textAnswer(tokens: number, padding: Padding): Answer {
  const chunks = Array.from({ length: tokens }, (_, index) => {
    const content = `${WORDS[index % WORDS.length]} `;
    return padding === 'plain'
      ? chunk({ content })
      : chunk({ content }, null, { obfuscation: random(index) });
  });
  return grouped([roleChunk(), ...chunks, ...ending('stop', tokens)]);
}

function random(index: number): string {
  return ((index + 1) * 2_654_435_761)
    .toString(36)
    .padStart(10, 'x')
    .slice(-(4 + (index % 7)));
}

/** A turn of the long thread: first a call of `read_file`, then 1 KB of text. */
export function longThreadAnswer(turn: number, called: boolean): Answer {
  if (called) return longThreadText;
  return callAnswer(`call_${turn}`, 'read_file', { description: 'Look it up', path: longThreadFile(turn) });
}

/** A call of the tool; a text once it has answered. */
export function calledAnswer(tool: string, called: boolean): Answer {
  return called ? textAnswer(20, 'padded') : callAnswer('call_1', tool, { query: 'tea' });
}

function callAnswer(id: string, name: string, args: object): Answer {
  const call = { id, type: 'function', function: { name, arguments: '' } };
  return grouped([
    roleChunk(),
    chunk({ tool_calls: [{ index: 0, ...call }] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: JSON.stringify(args) } }] }),
    ...ending('tool_calls', 20),
  ]);
}

/** Virtual path of the file that this turn reads. */
export function longThreadFile(turn: number): string {
  return `/mnt/user-data/workspace/notes-${turn}.txt`;
}

const WORDS = ['the', 'house', 'stands', 'on', 'seven', 'floors', 'and', 'all', 'arrows', 'fall'];

function roleChunk(): string {
  return chunk({ role: 'assistant', content: '' });
}

function ending(reason: string, tokens: number): readonly string[] {
  const usage = { prompt_tokens: 100, completion_tokens: tokens, total_tokens: 100 + tokens };
  return [chunk({}, reason), event({ ...HEAD, choices: [], usage }), 'data: [DONE]\n\n'];
}

const HEAD = {
  id: 'chatcmpl-bench',
  object: 'chat.completion.chunk',
  created: 1_790_000_000,
  model: 'bench',
};

const MESSAGE = { id: 'msg-bench', type: 'message', role: 'assistant', model: 'bench', content: [] };

function chunk(delta: object, reason: string | null = null, extra: object = {}): string {
  return event({ ...HEAD, choices: [{ index: 0, delta, finish_reason: reason }], ...extra });
}

function event(body: object): string {
  return `data: ${JSON.stringify(body)}\n\n`;
}

function grouped(events: readonly string[]): Answer {
  const groups: Buffer[] = [];
  for (let start = 0; start < events.length; start += EVENTS_PER_WRITE) {
    groups.push(Buffer.from(events.slice(start, start + EVENTS_PER_WRITE).join('')));
  }
  return groups;
}

const longThreadText: Answer = (() => {
  const text = prose(0, LONG_THREAD_ANSWER_BYTES);
  const at = (token: number) => Math.round((token * text.length) / LONG_THREAD_TOKENS);
  const texts = Array.from({ length: LONG_THREAD_TOKENS }, (_, index) =>
    text.slice(at(index), at(index + 1)),
  );
  const chunks = texts.map((content) => chunk({ content }));
  return grouped([roleChunk(), ...chunks, ...ending('stop', LONG_THREAD_TOKENS)]);
})();

/** The events of an answer whose tokens are the microseconds at which they were sent. */
interface PacedAnswer {
  readonly beginning: string;
  readonly token: (microseconds: number) => string;
  readonly ending: string;
}

export const pacedAnswer: PacedAnswer = {
  beginning: roleChunk(),
  token: tokenOf(chunk({ content: '<time> ' })),
  ending: ending('stop', 1_000).join(''),
};

export const anthropicAnswer: PacedAnswer = {
  beginning:
    named('message_start', { message: { ...MESSAGE, usage: { input_tokens: 100, output_tokens: 1 } } }) +
    named('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
  token: tokenOf(named('content_block_delta', { index: 0, delta: { type: 'text_delta', text: '<time> ' } })),
  ending:
    named('content_block_stop', { index: 0 }) +
    named('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1_000 } }) +
    named('message_stop'),
};

function tokenOf(text: string): PacedAnswer['token'] {
  const [before = '', after = ''] = text.split('<time>');
  return (microseconds) => `${before}${microseconds}${after}`;
}

function named(type: string, fields: object = {}): string {
  return `event: ${type}\n${event({ type, ...fields })}`;
}
