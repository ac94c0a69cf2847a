// Extracts facts worth remembering: selects the person's messages, calls a model and records its cost.
import type { AgentEvent } from '../agent/agent-event.ts';
import { isFromPerson } from '../agent/compaction/thread-view.ts';
import { createFactFinder } from '../agent/fact-finder.ts';
import type { Log } from '../log.ts';
import type { FactReader } from '../memory/extraction.ts';
import { ownWords, type SaidMessage } from '../memory/fact-changes.ts';
import { type Message, textOf } from '../messages/message.ts';
import type { ModelCatalog } from '../models/catalog.ts';
import type { Model } from '../models/model.ts';
import { isDaySpent, type UsageService } from '../runs/budget/usage-service.ts';
import type { LateCalls } from '../runs/record/late-calls.ts';
import { fromKwargs } from '../runs/request/run-request.ts';
import type { MemoryJob } from '../storage/memories.ts';
import { isTerminal } from '../storage/runs.ts';
import type { Repositories, Storage } from '../storage/storage.ts';
import type { ThreadStates } from '../storage/thread-states.ts';

interface FactReaderParts {
  /** If absent, the model of the run. */
  readonly model: Model | undefined;
  readonly catalog: ModelCatalog;
  readonly storage: Pick<Storage, 'as'>;
  readonly states: ThreadStates;
  readonly usage: Pick<UsageService, 'ofDays'>;
  readonly lateCalls: LateCalls;
  readonly log: Log;
  readonly now: () => number;
  readonly newId: () => string;
}

/** The metadata key that switches memory off for a thread. */
const SWITCH = 'memory_enabled';
const MOST_CHARACTERS = 4_000;
const MOST_CHARACTERS_BEFORE = 1_000;

/** Whether memory is off for this thread. True also when the thread no longer exists. */
export async function isMemoryOff({ threads }: Repositories, threadId: string): Promise<boolean> {
  const thread = await threads.get(threadId);
  return thread === undefined || thread.metadata[SWITCH] === false;
}

export function createFactReader(parts: FactReaderParts): FactReader {
  const { model, catalog, storage, states, usage, lateCalls, log, now, newId } = parts;
  const find = createFactFinder({ now, newId });
  const count = (job: MemoryJob, events: readonly AgentEvent[]) =>
    lateCalls
      .count(storage.as(job.userId), job, events)
      .catch((err: unknown) =>
        log.warn({ err, runId: job.runId }, 'the usage of a memory extraction could not be recorded'),
      );
  const messagesOf = async (
    { threads, checkpoints }: Repositories,
    threadId: string,
  ): Promise<readonly Message[]> => {
    const head = (await threads.get(threadId))?.headCheckpointId ?? null;
    return (head === null ? undefined : await states.at(checkpoints, threadId, head))?.state.messages ?? [];
  };
  return {
    async said({ userId, threadId, runId, questions }) {
      const repositories = storage.as(userId);
      if (await isMemoryOff(repositories, threadId)) return [];
      const isWritten = isTerminal((await repositories.runs.get(runId))?.status ?? 'success');
      const messages = await messagesOf(repositories, threadId);
      if (!isWritten && !messages.some(({ id }) => id === questions.at(-1))) return undefined;
      const said = wordsOf(messages, new Set(questions));
      return said.length > 0 && (await isDaySpent(usage, repositories)) ? [] : said;
    },
    async proposals({ job, said, facts, signal }) {
      const run = await storage.as(job.userId).runs.get(job.runId);
      if (run === undefined) return [];
      const ofRun = catalog.get(fromKwargs(run.kwargs).options.modelName) ?? catalog.default;
      const { proposals, events } = await find({ model: model ?? ofRun, said, facts, signal });
      await count(job, events);
      return proposals;
    },
  };
}

/** Returns the person's own words, without quotes, and the end of the agent's reply before each. */
function wordsOf(messages: readonly Message[], questions: ReadonlySet<string>): readonly SaidMessage[] {
  return messages.flatMap((message, index) => {
    if (!questions.has(message.id) || !isFromPerson(message)) return [];
    const text = ownWords(textOf(message.content)).slice(0, MOST_CHARACTERS).toWellFormed();
    if (text === '') return [];
    const reply = messages.slice(0, index).findLast((it) => it.type === 'ai' && it.tool_calls.length === 0);
    const before = reply === undefined ? '' : textOf(reply.content).slice(-MOST_CHARACTERS_BEFORE);
    return [{ messageId: message.id, text, before: before.toWellFormed() }];
  });
}
