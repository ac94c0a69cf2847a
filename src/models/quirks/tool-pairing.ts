// Each tool call has its one result right after it, and nothing else does: providers refuse any other history.
import type { LanguageModelV4ToolResultPart } from '@ai-sdk/provider';
import type { AiMessage, Message, ToolCall, ToolMessage } from '../../messages/message.ts';

/** An answer with calls and what came of them, in the order of the calls. A call whose result is lost has none. */
export interface Exchange {
  readonly type: 'exchange';
  readonly message: AiMessage;
  readonly results: readonly { readonly call: ToolCall; readonly result: ToolMessage | undefined }[];
}

export type Turn = Message | Exchange;

export interface History {
  readonly turns: readonly Turn[];
  /** Instructions out of the history. */
  readonly system: readonly string[];
}

/** Results are looked for up to the next answer of the model, and moved right behind their call; others are left out. */
export function paired({ turns, system }: History): History {
  const pairs: Turn[] = [];
  turns.forEach((turn, index) => {
    if (turn.type === 'ai' && turn.tool_calls.length > 0) pairs.push(exchangeOf(turn, turns, index));
    else if (turn.type !== 'tool') pairs.push(turn);
  });
  return { turns: pairs, system };
}

function exchangeOf(message: AiMessage, turns: readonly Turn[], index: number): Exchange {
  const candidates: ToolMessage[] = [];
  for (let next = index + 1; next < turns.length; next += 1) {
    const candidate = turns[next];
    if (candidate?.type === 'ai') break;
    if (candidate?.type === 'tool') candidates.push(candidate);
  }
  const results = message.tool_calls.map((call) => {
    const position = candidates.findIndex((candidate) => candidate.tool_call_id === call.id);
    // Taken out, so that two calls with one id get two results in order.
    const [result] = position === -1 ? [] : candidates.splice(position, 1);
    return { call, result };
  });
  return { type: 'exchange', message, results };
}

/** Stands for the result of a call that never came: providers refuse a call without one. */
export function lostResult(call: ToolCall): LanguageModelV4ToolResultPart {
  const value = 'Error: this call was interrupted, and its result is not known.';
  return {
    type: 'tool-result',
    toolCallId: call.id,
    toolName: call.name,
    output: { type: 'error-text', value },
  };
}
