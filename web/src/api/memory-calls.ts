// The calls about what agents remember about the signed-in person.
import * as z from 'zod/mini';
import { type Call, read } from './call.ts';

const factSchema = z.object({
  id: z.string(),
  content: z.string(),
  category: z.string(),
  /** From 0 to 1. */
  confidence: z.number(),
  created_at: z.string(),
  source: z.object({
    kind: z.enum(['thread', 'manual', 'import']),
    /** The thread may have been deleted. */
    thread_id: z.nullable(z.string()),
    message_id: z.nullable(z.string()),
  }),
});
export type MemoryFact = z.infer<typeof factSchema>;
const memorySchema = z.object({
  revision: z.number(),
  can_undo: z.boolean(),
  facts: z.array(factSchema),
});
/** The facts that one agent remembers, oldest first. */
export type Memory = z.infer<typeof memorySchema>;
const configSchema = z.object({
  enabled: z.boolean(),
  user_enabled: z.boolean(),
  extraction_enabled: z.boolean(),
  max_facts: z.number(),
  max_fact_characters: z.number(),
});
export type MemoryConfig = z.infer<typeof configSchema>;
export type FactWords = Pick<MemoryFact, 'content' | 'category' | 'confidence'>;

const MEMORY = '/api/memory';

export function createMemoryCalls(call: Call) {
  const of = (agent: string, part = '') => `${MEMORY}${part}?${new URLSearchParams({ agent })}`;
  const factOf = (agent: string, id: string) => of(agent, `/facts/${encodeURIComponent(id)}`);
  /** Every change returns the changed memory. */
  const change = async (method: string, path: string, body?: unknown): Promise<Memory> =>
    read(await call(method, path, body), memorySchema);
  return {
    memory: (agent: string) => change('GET', of(agent)),
    addFact: (agent: string, fact: FactWords) => change('POST', of(agent, '/facts'), fact),
    changeFact: (agent: string, id: string, patch: Partial<FactWords>) =>
      change('PATCH', factOf(agent, id), patch),
    deleteFact: (agent: string, id: string) => change('DELETE', factOf(agent, id)),
    /**
     * Undoes the last change of the memory that is shown. The service refuses when the memory has changed
     * since.
     */
    undoMemory: (agent: string, revision: number) => change('POST', of(agent, '/undo'), { revision }),
    forgetAll: (agent: string) => change('DELETE', of(agent)),
    /** Replaces all current facts. */
    importMemory: (agent: string, file: object) => change('POST', of(agent, '/import'), file),
    memoryFile: (agent: string) => of(agent, '/export'),
    memoryConfig: async (): Promise<MemoryConfig> =>
      read(await call('GET', `${MEMORY}/config`), configSchema),
    switchMemory: async (isOn: boolean): Promise<MemoryConfig> =>
      read(await call('PATCH', `${MEMORY}/config`, { user_enabled: isOn }), configSchema),
  };
}
