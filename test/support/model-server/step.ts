// The steps of a reply of the model server, in the order in which they are sent.

/**
 * The next action of the server. `finish` and `usage` are ordinary chunks, which a test may omit or falsify.
 */
export type Step =
  /** A chunk of the chat-completions stream: the contents of `choices[0]`. */
  | { readonly do: 'delta'; readonly delta: object; readonly finishReason?: string | null }
  /** One SSE event with exactly this JSON. */
  | { readonly do: 'event'; readonly event?: string; readonly data: unknown }
  /** Raw bytes. */
  | { readonly do: 'raw'; readonly bytes: string | Uint8Array }
  /** Continues when the test opens the gate. */
  | { readonly do: 'until'; readonly gate: PromiseLike<unknown> }
  /** Continues after this many milliseconds. For benchmarks; tests wait for conditions. */
  | { readonly do: 'pause'; readonly ms: number }
  /** Sends nothing more, and keeps the connection open. */
  | { readonly do: 'hang' }
  /** Resets the connection. Bytes sent just before may be lost with it, so wait for a gate first. */
  | { readonly do: 'reset' }
  /** Closes the connection in the middle of the body, after everything was sent. */
  | { readonly do: 'cut' };

export interface Usage {
  readonly prompt: number;
  readonly completion: number;
  readonly cached?: number;
  readonly reasoning?: number;
}

/** A piece of a call as the protocol sends it: only the first piece has `id` and `name`. */
export interface CallPiece {
  readonly index?: number;
  readonly id?: string;
  readonly name?: string;
  readonly args?: string;
}

export const step = {
  text: (text: string): Step => ({ do: 'delta', delta: { content: text } }),
  reasoning: (text: string): Step => ({ do: 'delta', delta: { reasoning_content: text } }),
  callPiece: ({ index, id, name, args = '' }: CallPiece): Step => ({
    do: 'delta',
    delta: { tool_calls: [{ index, id, type: 'function', function: { name, arguments: args } }] },
  }),
  finish: (reason = 'stop'): Step => ({ do: 'delta', delta: {}, finishReason: reason }),
  usage: (usage: Usage): Step => ({ do: 'event', data: { choices: [], usage: toUsage(usage) } }),
  done: (): Step => ({ do: 'raw', bytes: 'data: [DONE]\n\n' }),
  event: (data: unknown, event?: string): Step => ({
    do: 'event',
    data,
    ...(event === undefined ? {} : { event }),
  }),
  raw: (bytes: string | Uint8Array): Step => ({ do: 'raw', bytes }),
  until: (gate: PromiseLike<unknown>): Step => ({ do: 'until', gate }),
  pause: (ms: number): Step => ({ do: 'pause', ms }),
  hang: (): Step => ({ do: 'hang' }),
  reset: (): Step => ({ do: 'reset' }),
  cut: (): Step => ({ do: 'cut' }),
};

function toUsage({ prompt, completion, cached = 0, reasoning = 0 }: Usage): object {
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}

/** Returns the bytes of a step that sends something, and `undefined` for one that waits or breaks off. */
export function bytesOf(it: Step, model: string, id = 'chatcmpl-test'): string | Uint8Array | undefined {
  if (it.do === 'raw') return it.bytes;
  if (it.do === 'event') {
    return `${it.event === undefined ? '' : `event: ${it.event}\n`}data: ${JSON.stringify(it.data)}\n\n`;
  }
  if (it.do !== 'delta') return undefined;
  const choice = { index: 0, delta: it.delta, finish_reason: it.finishReason ?? null };
  const chunk = {
    id,
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model,
    choices: [choice],
  };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}
