// What a model call used: the provider's count, or an estimate when it gave none.
import type { UsageMetadata } from '../messages/message.ts';
import { costOf, type Money } from '../messages/money.ts';
import { oncePerObject } from '../messages/once-per-object.ts';
import type { ModelInfo, ModelRequest, ToolSpec } from '../models/model.ts';
import type { CallEstimate } from './call-budget.ts';
import { textTokens, tokensOf } from './compaction/prompt-size.ts';

export interface CallUsage {
  readonly usage: UsageMetadata;
  /** True when the provider did not count, or the call ended before it did. */
  readonly isEstimated: boolean;
  /** At the price at the time of the call; empty when the model has no price. */
  readonly cost: Money;
}

/** What a model produced before its call ended. `callCharacters` counts names and arguments of tool calls. */
export interface Said {
  text: string;
  reasoning: string;
  callCharacters: number;
}

export function countedUsage({ price }: ModelInfo, usage: UsageMetadata): CallUsage {
  return { usage, isEstimated: false, cost: costOf(price, usage) };
}

export function estimatedUsage({ price }: ModelInfo, request: ModelRequest, said: Said): CallUsage {
  const input = requestTokens(request);
  const output = textTokens(said.text) + textTokens(said.reasoning) + Math.ceil(said.callCharacters / 4);
  const usage = { input_tokens: input, output_tokens: output, total_tokens: input + output };
  return { usage, isEstimated: true, cost: costOf(price, usage) };
}

/** The output estimate for models without a configured maximum. Most replies are shorter. */
const USUAL_REPLY_TOKENS = 2_048;

export function expectedUsage({ price, outputLimit }: ModelInfo, request: ModelRequest): CallEstimate {
  const input = requestTokens(request);
  const output = outputLimit ?? USUAL_REPLY_TOKENS;
  const tokens = input + output;
  const usage = { input_tokens: input, output_tokens: output, total_tokens: tokens };
  return { tokens, cost: costOf(price, usage) };
}

function requestTokens({ system, messages, tools }: ModelRequest): number {
  return textTokens(system) + tokensOf(messages) + tools.reduce((sum, tool) => sum + toolTokens(tool), 0);
}

const toolTokens = oncePerObject(({ name, description, inputSchema }: ToolSpec) =>
  textTokens(name + description + JSON.stringify(inputSchema)),
);
