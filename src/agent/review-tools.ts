// Lets every middleware look at the calls of an answer before they run.
import type { AiMessage, JsonObject, ToolCall } from '../messages/message.ts';
import type { Answers } from './agent.ts';
import { interruptIn } from './interrupts.ts';
import type { HookContext, Middleware, ToolReview } from './middleware.ts';

export interface ReviewedTools extends ToolReview {
  readonly values: JsonObject;
  /** The answer with the arguments that will really run; absent when nothing was changed. */
  readonly edited: AiMessage | undefined;
}

/** Throws `RunInterrupt` when a middleware has to ask first. */
export async function reviewTools(
  middleware: readonly Middleware[],
  answer: { readonly message: AiMessage; readonly calls: readonly ToolCall[] },
  context: HookContext & { readonly answers: Answers },
): Promise<ReviewedTools> {
  let review: Required<ToolReview> = { calls: answer.calls, refused: [], values: {} };
  for (const { name, reviewTools: look } of middleware) {
    if (look === undefined) continue;
    const interrupt = interruptIn(`${answer.message.id}:${name}`, context.answers);
    const { calls, refused, values = {} } = await look(review.calls, { ...context, interrupt });
    review = { calls, refused: [...review.refused, ...refused], values: { ...review.values, ...values } };
  }
  return { ...review, edited: editedMessage(answer.message, review.calls) };
}

function editedMessage(message: AiMessage, reviewed: readonly ToolCall[]): AiMessage | undefined {
  const byId = new Map(reviewed.map((call) => [call.id, call]));
  const toolCalls = message.tool_calls.map((call) => byId.get(call.id) ?? call);
  const isChanged = toolCalls.some((call, index) => call !== message.tool_calls[index]);
  return isChanged ? { ...message, tool_calls: toolCalls } : undefined;
}
