// A model that replies from a list, for tests of the loop alone.
import type { JsonObject, ToolCall } from '../../src/messages/message.ts';
import type { Model, ModelPart, ModelRequest } from '../../src/models/model.ts';

export interface ScriptedModel extends Model {
  readonly requests: readonly ModelRequest[];
}

/** Each call consumes the next list of parts; a function gets the request. */
export function scriptedModel(
  ...answers: readonly (readonly ModelPart[] | ((request: ModelRequest) => AsyncIterable<ModelPart>))[]
): ScriptedModel {
  const requests: ModelRequest[] = [];
  return {
    requests,
    info: {
      name: 'scripted',
      displayName: 'Scripted',
      description: undefined,
      model: 'scripted-1',
      provider: 'demo',
      supportsThinking: true,
      supportsVision: false,
      contextWindow: undefined,
    },
    async *stream(request) {
      const next = answers[requests.length];
      requests.push(request);
      if (next === undefined) throw new Error('The script has no more answers.');
      yield* typeof next === 'function' ? next(request) : next;
    },
  };
}

export function says(text: string): readonly ModelPart[] {
  return [
    { type: 'text_delta', text },
    { type: 'finish', finishReason: 'stop', toolCalls: [], usage: null, providerMetadata: undefined },
  ];
}

export function calls(...toolCalls: readonly ToolCall[]): readonly ModelPart[] {
  return [
    { type: 'finish', finishReason: 'tool_calls', toolCalls, usage: null, providerMetadata: undefined },
  ];
}

export function call(id: string, name: string, args: JsonObject = {}): ToolCall {
  return { type: 'tool_call', id, name, args };
}
