// Puts memory together with what it reads and what reads it: threads, models, and the runs that tell of new words.
import type { AgentEvent } from '../agent/agent-event.ts';
import { isFromPerson } from '../agent/compaction/thread-view.ts';
import { createFactFinder } from '../agent/fact-finder.ts';
import { createMemorySource } from '../agent/sources/memory-source.ts';
import type { ToolSource } from '../agent/tool-source.ts';
import type { Log } from '../log.ts';
import { createMemory, type Memories } from '../memory/create-memory.ts';
import type { FactReader } from '../memory/extraction.ts';
import { ownWords, type SaidMessage } from '../memory/fact-changes.ts';
import type { MemoryOptions } from '../memory/memory-options.ts';
import { type Message, textOf } from '../messages/message.ts';
import { type ModelCatalog, namedModel } from '../models/catalog.ts';
import type { LateCalls } from '../runs/record/late-calls.ts';
import { isDaySpent, type UsageService } from '../runs/budget/usage-service.ts';
import { fromKwargs } from '../runs/request/stored-request.ts';
import type { MemoryJob } from '../storage/memories.ts';
import type { Repositories, Storage } from '../storage/storage.ts';
import type { ThreadStates } from '../storage/thread-states.ts';
import type { JobTaker } from '../upkeep/upkeep.ts';

interface MemoryRoom {
  readonly routes: Memories['routes'];
  readonly source: ToolSource;
}

export interface MemoryRoomParts {
  readonly options: MemoryOptions;
  readonly storage: Pick<Storage, 'as' | 'memoryJobs'>;
  readonly states: ThreadStates;
  readonly catalog: ModelCatalog;
  readonly usage: Pick<UsageService, 'ofDays'>;
  readonly lateCalls: LateCalls;
  /** The process alone works on the database. */
  readonly exclusive: boolean;
  readonly upkeep: JobTaker;
  readonly log: Log;
  readonly now: () => number;
  readonly newId: () => string;
}

/** The key of a thread's metadata that switches memory off there. */
const SWITCH = 'memory_enabled';
const MOST_CHARACTERS = 4_000;
const MOST_CHARACTERS_BEFORE = 1_000;

/** Throws `invalid` with a sentence for the operator when the configuration names a model that there is not. */
export function createMemoryRoom(parts: MemoryRoomParts): MemoryRoom {
  const { options, storage } = parts;
  const { known, extraction, routes } = createMemory({
    ...parts,
    memoriesOf: (userId) => storage.as(userId).memories,
    memoriesForRuns: (userId) => storage.as(userId).ahead.memories,
    jobs: storage.memoryJobs,
    reader: createReader(parts),
  });
  const learns = options.enabled && options.extraction.enabled;
  return {
    routes,
    source: createMemorySource({
      factsOf: known.factsOf,
      isOffOn: async (userId, threadId) => isOffOn(storage.as(userId).ahead, threadId),
      budget: options.enabled ? options.max_prompt_tokens : 0,
      onAnswered: learns ? extraction.heard : undefined,
    }),
  };
}

async function isOffOn({ threads }: Repositories, threadId: string): Promise<boolean> {
  const thread = await threads.get(threadId);
  return thread === undefined || thread.metadata[SWITCH] === false;
}

function createReader({
  options,
  storage,
  states,
  catalog,
  usage,
  lateCalls,
  log,
  now,
  newId,
}: MemoryRoomParts): FactReader {
  const find = createFactFinder({ now, newId });
  const model = namedModel(catalog, 'memory.extraction.model', options.extraction.model);
  const count = (job: MemoryJob, events: readonly AgentEvent[]) =>
    lateCalls
      .count(storage.as(job.userId), job, events)
      .catch((err: unknown) => log.warn({ err, runId: job.runId }, 'a search for facts is not counted'));
  return {
    async said({ userId, threadId, questions }) {
      const repositories = storage.as(userId);
      if (await isOffOn(repositories, threadId)) return [];
      const head = (await repositories.threads.get(threadId))?.headCheckpointId ?? null;
      const at = head === null ? undefined : await states.at(repositories.checkpoints, threadId, head);
      const said = wordsOf(at?.state.messages ?? [], new Set(questions));
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

/** Words of the person without what is pasted or quoted, and the end of what the agent had said before. */
function wordsOf(messages: readonly Message[], questions: ReadonlySet<string>): readonly SaidMessage[] {
  return messages.flatMap((message, index) => {
    if (!questions.has(message.id) || !isFromPerson(message)) return [];
    const text = ownWords(textOf(message.content)).slice(0, MOST_CHARACTERS).toWellFormed();
    if (text === '') return [];
    const answer = messages.slice(0, index).findLast((it) => it.type === 'ai' && it.tool_calls.length === 0);
    const before = answer === undefined ? '' : textOf(answer.content).slice(-MOST_CHARACTERS_BEFORE);
    return [{ messageId: message.id, text, before: before.toWellFormed() }];
  });
}
