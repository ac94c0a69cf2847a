// Creates the memory module: the service for people, the facts for runs, and the extraction of new facts.
import type { Log } from '../log.ts';
import type { Storage } from '../storage/storage.ts';
import type { JobTaker } from '../upkeep/upkeep.ts';
import { createExtraction, type Extraction, type FactReader } from './extraction.ts';
import { createKnownMemories, type KnownMemories } from './known-memories.ts';
import type { MemoryOptions } from './memory-options.ts';
import { createMemoryService, type MemoryService } from './memory-service.ts';

export interface Memories {
  readonly service: MemoryService;
  readonly known: KnownMemories;
  readonly extraction: Extraction;
}

interface MemoriesParts {
  readonly options: MemoryOptions;
  readonly storage: Pick<Storage, 'as' | 'memoryJobs'>;
  readonly reader: FactReader;
  /** True when this process alone uses the database. */
  readonly exclusive: boolean;
  readonly upkeep: JobTaker;
  readonly log: Pick<Log, 'warn'>;
  readonly now: () => number;
  readonly newId: () => string;
}

export function createMemory(parts: MemoriesParts): Memories {
  const { options, storage, reader, exclusive, upkeep, log, now, newId } = parts;
  const memoriesForRuns = (userId: string) => storage.as(userId).ahead.memories;
  const known = createKnownMemories({ memoriesForRuns, exclusive });
  const onChange = known.forget;
  return {
    service: createMemoryService({ maxFacts: options.max_facts, onChange, now, newId }),
    known,
    extraction: createExtraction({
      jobs: storage.memoryJobs,
      memoriesOf: (userId) => storage.as(userId).memories,
      reader,
      options,
      onChange,
      exclusive,
      upkeep,
      log,
      now,
      newId,
    }),
  };
}
