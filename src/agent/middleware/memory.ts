// Memory in a run: the model reads what is remembered, and what the person said is noted to be read later.
import type { MemoryFact } from '../../memory/facts.ts';
import { isFromPerson } from '../compaction/thread-view.ts';
import { withMemoryNotice } from '../memory/memory-notice.ts';
import type { HookContext, Middleware } from '../middleware.ts';

interface MemoryMiddlewareParts {
  readonly facts: readonly MemoryFact[];
  /** Tokens of the notice. */
  readonly budget: number;
  /** Absent: nothing is read for facts. */
  readonly onAnswered: ((words: AnsweredWords) => Promise<void>) | undefined;
}

export interface AnsweredWords extends Pick<HookContext, 'threadId' | 'runId' | 'userId'> {
  /** The id of the person's newest message. */
  readonly question: string;
}

export function createMemoryMiddleware({ facts, budget, onAnswered }: MemoryMiddlewareParts): Middleware {
  return {
    name: 'memory',
    ...(facts.length === 0
      ? {}
      : {
          shapeRequest: (request) => ({
            ...request,
            messages: withMemoryNotice(request.messages, facts, budget),
          }),
        }),
    ...(onAnswered === undefined
      ? {}
      : {
          async afterAgent({ threadId, runId, userId, state, signal }) {
            const question = state.messages.findLast(isFromPerson)?.id;
            if (question !== undefined && !signal.aborted)
              await onAnswered({ threadId, runId, userId, question });
            return undefined;
          },
        }),
  };
}
