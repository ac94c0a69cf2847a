// Memory in a run: the model reads what is remembered, and what the person said is noted to be read later.
import type { MemoryFact } from '../../memory/facts.ts';
import type { Message } from '../../messages/message.ts';
import type { ThreadState } from '../../messages/thread-state.ts';
import { isFromPerson } from '../compaction/thread-view.ts';
import { withMemoryNotice } from '../memory/memory-notice.ts';
import type { HookContext, Middleware } from '../middleware.ts';
import { isTaskResult } from '../task-result.ts';

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
            const question = newestWords(state)?.id;
            if (question !== undefined && !signal.aborted)
              await onAnswered({ threadId, runId, userId, question });
            return undefined;
          },
        }),
  };
}

/** None where the agent was told of the end of a task since: what the person said before is noted already. */
function newestWords({ messages }: ThreadState): Message | undefined {
  const newest = messages.findLast((it) => isFromPerson(it) || isTaskResult(it));
  return newest === undefined || isTaskResult(newest) ? undefined : newest;
}
