// Whether a run ends with what became of a model call, and how.
import type { AiMessage } from '../messages/message.ts';
import type { AgentStop } from './agent-event.ts';
import type { ModelOutcome } from './call-model.ts';

/** `undefined`: the calls of the answer are next. */
export function stopAfter(outcome: ModelOutcome): AgentStop | undefined {
  switch (outcome.kind) {
    case 'aborted':
      return { kind: 'aborted' };
    case 'failed': {
      const kind = outcome.error.kind === 'broken_stream' ? 'model_error' : outcome.error.kind;
      return { kind, message: outcome.error.message };
    }
    case 'refused':
      return { kind: 'budget_exhausted', budget: outcome.budget, message: outcome.message };
    case 'answered':
      return stopAfterReply(outcome.message);
    default:
      return outcome satisfies never;
  }
}

/** As `stopAfter`, of an answer that is in the state. */
export function stopAfterReply({ tool_calls, response_metadata }: AiMessage): AgentStop | undefined {
  if (tool_calls.length > 0) return undefined;
  if (response_metadata.finish_reason !== 'content_filter') return { kind: 'completed' };
  const message = `The provider of model '${response_metadata.model_name}' held its answer back (content filter). Put it another way, or choose another model.`;
  return { kind: 'model_error', message };
}
