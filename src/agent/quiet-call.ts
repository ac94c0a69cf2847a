// A model call that a middleware makes for itself: it is reported and counted, and what it says is shown to nobody.
import type { AgentEvent } from './agent-event.ts';
import { callModel, type ModelCall, type ModelOutcome } from './call-model.ts';

/** As `callModel`; yields the beginnings and ends of its calls alone. */
export async function* quietCall(call: ModelCall): AsyncGenerator<AgentEvent, ModelOutcome, void> {
  const events = callModel(call);
  for (;;) {
    const { done, value } = await events.next();
    if (done) return value;
    if (value.type.startsWith('model_call_')) yield value;
  }
}

/** The answer without what the model thought aloud in it. */
export function withoutThoughts(text: string): string {
  const parts = text.split('</think>');
  const last = parts.pop() ?? '';
  const spoken = parts.map((part) => {
    const start = part.indexOf('<think>');
    return start < 0 ? `${part}</think>` : part.slice(0, start);
  });
  return [...spoken, last].join('').trim();
}
