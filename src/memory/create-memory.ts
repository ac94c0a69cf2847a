// Creates memory: its routes, what runs read, and what learns from them.
import { createExtraction, type Extraction, type ExtractionParts } from './extraction.ts';
import { createKnownMemories, type KnownMemories, type KnownMemoriesParts } from './known-memories.ts';
import type { MemoryOptions } from './memory-options.ts';
import { createMemoryService, type MemoryService } from './memory-service.ts';

type MemoryParts = Omit<ExtractionParts, 'onChange'> & KnownMemoriesParts;

export interface Memories {
  readonly routes: { readonly memory: MemoryService; readonly memoryOptions: MemoryOptions };
  /** For runs. */
  readonly known: KnownMemories;
  readonly extraction: Extraction;
}

export function createMemory(parts: MemoryParts): Memories {
  const { options, now, newId } = parts;
  const known = createKnownMemories(parts);
  const onChange = known.forget;
  const memory = createMemoryService({ maxFacts: options.max_facts, onChange, now, newId });
  return {
    routes: { memory, memoryOptions: options },
    known,
    extraction: createExtraction({ ...parts, onChange }),
  };
}
