// Replies of the model server: good ones, and all the failures of providers.
import { type Step, step, type Usage } from './step.ts';

export type Answer =
  /** 200 with a stream of events. */
  | {
      readonly kind: 'stream';
      readonly steps: readonly Step[];
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** Any other status, with a JSON or text body. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly body: unknown;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** The request is read and gets no response. */
  | { readonly kind: 'silence' }
  /** The connection is closed before any header. */
  | { readonly kind: 'refusal' };

export interface ToolCallAnswer {
  readonly name: string;
  readonly args: object;
  /** Default `call_<n>`. */
  readonly id?: string;
}

interface Ending {
  readonly usage?: Usage;
  readonly finishReason?: string;
}

const USAGE: Usage = { prompt: 10, completion: 5 };

/** A string is sent word by word, a list in its pieces. */
function texts(text: string | readonly string[]): Step[] {
  const pieces = typeof text === 'string' ? (text.match(/\s*\S+(?:\s+$)?/g) ?? [text]) : text;
  return pieces.map(step.text);
}

function ending({ usage = USAGE, finishReason = 'stop' }: Ending = {}): Step[] {
  return [step.finish(finishReason), step.usage(usage), step.done()];
}

function script(...steps: readonly Step[]): Answer {
  return { kind: 'stream', steps };
}

function status(code: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return { kind: 'status', status: code, body, headers };
}

function providerError(code: number, message: string, fields: object = {}): Answer {
  return status(code, {
    error: { message, type: 'invalid_request_error', param: null, code: null, ...fields },
  });
}

/** Returns the pieces of some calls, with the arguments in pieces of eight characters. */
function callSteps(calls: readonly ToolCallAnswer[]): Step[] {
  return calls.flatMap((call, index) => [
    step.callPiece({ index, id: call.id ?? `call_${index}`, name: call.name }),
    ...(JSON.stringify(call.args).match(/[\s\S]{1,8}/g) ?? []).map((args) => step.callPiece({ index, args })),
  ]);
}

export const answer = {
  /** Sends exactly these steps. */
  script,
  /** Returns any status with any body; a string is sent as text. */
  status,
  text: (text: string | readonly string[], end: Ending = {}): Answer =>
    script(...texts(text), ...ending(end)),
  reasoning: (reasoning: string | readonly string[], text: string, end: Ending = {}): Answer => {
    const thoughts = (typeof reasoning === 'string' ? [reasoning] : reasoning).map(step.reasoning);
    return script(...thoughts, ...texts(text), ...ending(end));
  },
  toolCalls: (calls: readonly ToolCallAnswer[], end: Ending & { readonly text?: string } = {}): Answer => {
    const words = end.text === undefined ? [] : texts(end.text);
    return script(...words, ...callSteps(calls), ...ending({ finishReason: 'tool_calls', ...end }));
  },

  /** 429; `retryAfter` is seconds or an HTTP date. */
  rateLimited: (retryAfter?: string): Answer => {
    const headers = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
    return status(429, { error: { message: 'Rate limit reached', type: 'requests' } }, headers);
  },
  unauthorized: (): Answer =>
    providerError(401, 'Incorrect API key provided: sk-secret', { code: 'invalid_api_key' }),
  serverError: (code = 500): Answer =>
    providerError(code, 'The server had an error', { type: 'server_error' }),
  overloaded: (): Answer =>
    status(529, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
  contextOverflow: (): Answer =>
    providerError(
      400,
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
      {
        code: 'context_length_exceeded',
      },
    ),

  hangBeforeHeaders: (): Answer => ({ kind: 'silence' }),
  hangAfterHeaders: (): Answer => script(step.hang()),
  hangMidStream: (text: string): Answer => script(...texts(text), step.hang()),
  resetBeforeHeaders: (): Answer => ({ kind: 'refusal' }),
  /** Breaks the connection after the text; with a gate, resets it when the test opens the gate. */
  breakMidStream: (text: string, gate?: PromiseLike<unknown>): Answer =>
    gate === undefined
      ? script(...texts(text), step.cut())
      : script(...texts(text), step.until(gate), step.reset()),
  /** Ends the connection cleanly without a finish reason. */
  endWithoutFinish: (text: string): Answer => script(...texts(text)),
  /** Sends an error event in the stream, as some providers do under load. */
  errorMidStream: (text: string, message = 'The engine is overloaded'): Answer =>
    script(...texts(text), step.event({ error: { message, type: 'server_error', code: null, param: null } })),
  truncatedToolJson: (name = 'read_file'): Answer =>
    script(
      step.callPiece({ index: 0, id: 'call_0', name, args: '{"path": "/mnt/us' }),
      ...ending({ finishReason: 'tool_calls' }),
    ),
  /** Makes calls at the positions 3 and 7 instead of 0 and 1. */
  wrongIndices: (calls: readonly ToolCallAnswer[]): Answer =>
    script(
      ...calls.map((call, position) =>
        step.callPiece({
          index: 3 + position * 4,
          id: call.id ?? `call_${position}`,
          name: call.name,
          args: JSON.stringify(call.args),
        }),
      ),
      ...ending({ finishReason: 'tool_calls' }),
    ),
  duplicateIds: (calls: readonly ToolCallAnswer[]): Answer =>
    script(
      ...callSteps(calls.map((call) => ({ ...call, id: 'call_same' }))),
      ...ending({ finishReason: 'tool_calls' }),
    ),
  missingIds: (calls: readonly ToolCallAnswer[]): Answer =>
    script(
      ...calls.map((call, index) =>
        step.callPiece({ index, name: call.name, args: JSON.stringify(call.args) }),
      ),
      ...ending({ finishReason: 'tool_calls' }),
    ),
  emptyChoices: (text: string): Answer =>
    script(step.event({ id: 'x', choices: [] }), ...texts(text), step.event({ choices: [] }), ...ending()),
  /** Sends one event with a text of this many characters. */
  hugeLine: (characters = 1_000_000): Answer => script(step.text('x'.repeat(characters)), ...ending()),
  /** Sends a text with a byte that is invalid in UTF-8. */
  invalidUtf8: (): Answer => {
    const bytes = Buffer.from(
      'data: {"choices":[{"index":0,"delta":{"content":"a?b"},"finish_reason":null}]}\n\n',
    );
    bytes[bytes.indexOf('?')] = 0xff;
    return script(step.raw(bytes), ...ending());
  },
  /** Reports that it finished with tool calls, and makes none. */
  toolCallsWithoutCalls: (text = ''): Answer =>
    script(...texts(text), ...ending({ finishReason: 'tool_calls' })),
  /** Makes calls, and reports that it stopped. */
  stopDespiteCalls: (calls: readonly ToolCallAnswer[]): Answer => script(...callSteps(calls), ...ending()),
};
