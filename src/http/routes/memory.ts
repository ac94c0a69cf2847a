// The agent's memory of the user: read, changed, exported and imported.
import { z } from 'zod';
import { CATEGORY, DEFAULT_CATEGORY, FACT_ID, MAX_CONTENT_CHARACTERS, oneLine } from '../../memory/facts.ts';
import type { MemoryOptions } from '../../memory/memory-options.ts';
import type { BroughtFact, Memory, MemoryOwner, MemoryService } from '../../memory/memory-service.ts';
import type { AppContext } from '../api/context.ts';
import { timeInput } from '../api/query-list.ts';
import { pathParam } from '../api/route-access.ts';
import { ok, type RouteTable } from '../api/route-table.ts';
import { contentDisposition } from '../files/file-response.ts';
import { memorySchema, presentMemory } from '../presenters/memory.ts';

export interface MemoryRouteDependencies {
  readonly memory: MemoryService;
  readonly memoryOptions: MemoryOptions;
  readonly now: () => number;
}

const MEMORY = '/api/memory';
const FACTS = `${MEMORY}/facts`;
/** Maximum number of imported facts, more than any configuration allows to store. */
const MOST_BROUGHT = 1_000;

const agentQuery = z.object({
  agent: z
    .string()
    .max(64)
    .regex(/^[A-Za-z0-9_-]{1,64}$/)
    .default('lead_agent')
    .describe('Whose memory'),
});

const content = z
  .string()
  .max(MAX_CONTENT_CHARACTERS)
  .transform(oneLine)
  .refine((text) => text !== '', 'A fact has words')
  .meta({ examples: ['Drinks green tea'] });
const category = z
  .string()
  .max(32)
  .regex(CATEGORY, 'A category is a word in small letters, such as preference')
  .meta({ examples: ['preference'] });
const confidence = z.number().min(0).max(1).describe('How sure it is');

const newFactBody = z
  .object({ content, category: category.default(DEFAULT_CATEGORY), confidence: confidence.default(1) })
  .meta({ id: 'NewMemoryFact', examples: [{ content: 'Drinks green tea', category: 'preference' }] });
const patchBody = z
  .object({
    content: content.exactOptional(),
    category: category.exactOptional(),
    confidence: confidence.exactOptional(),
  })
  .refine((patch) => Object.keys(patch).length > 0, 'Name what changes: content, category or confidence')
  .meta({ id: 'MemoryFactUpdate', examples: [{ content: 'Drinks black tea' }] });
const undoBody = z
  .object({
    revision: z
      .int()
      .min(0)
      .max(2_147_483_647)
      .describe('Of the memory as you see it: another one is not undone'),
  })
  .meta({ id: 'MemoryUndo', examples: [{ revision: 3 }] });
const id = z.string().max(128);
const sourceBody = z
  .object({
    kind: z.enum(['thread', 'manual', 'import']),
    thread_id: id.nullish(),
    message_id: id.nullish(),
  })
  .nullish();
const broughtFact = z.object({
  id: z.string().regex(FACT_ID).max(64).optional(),
  content,
  category: category.default(DEFAULT_CATEGORY),
  confidence: confidence.default(1),
  created_at: timeInput().optional(),
  source: sourceBody,
});
const importBody = z
  .object({ facts: z.array(broughtFact).max(MOST_BROUGHT) })
  .meta({ id: 'MemoryImport', examples: [{ facts: [{ content: 'Drinks green tea' }] }] });
const switchBody = z
  .object({ user_enabled: z.boolean().describe('Whether agents remember anything of you') })
  .meta({ id: 'MemorySwitch', examples: [{ user_enabled: false }] });

const configSchema = z
  .object({
    /** Whether the service has memory switched on. */
    enabled: z.boolean(),
    /** Whether memory is switched on for the user. */
    user_enabled: z.boolean(),
    injection_enabled: z.boolean(),
    max_injection_tokens: z.int(),
    extraction_enabled: z.boolean(),
    debounce_seconds: z.number(),
    fact_confidence_threshold: z.number(),
    max_facts: z.int(),
    max_fact_characters: z.int(),
  })
  .meta({ id: 'MemoryConfig' });

const responses = ok('The memory as it is then', memorySchema);

export function memoryRoutes(routes: RouteTable, parts: MemoryRouteDependencies): void {
  mountMemory(routes, parts);
  mountFacts(routes, parts);
  mountConfig(routes, parts);
}

function mountMemory(routes: RouteTable, { memory, now }: MemoryRouteDependencies): void {
  routes.get(MEMORY, {
    operationId: 'getMemory',
    summary: 'What an agent remembers of you',
    query: agentQuery,
    responses: ok('The memory', memorySchema),
    handle: async (c, { query }) => shown(c, await memory.get(ownerOf(c), query.agent), now),
  });
  routes.delete(MEMORY, {
    operationId: 'clearMemory',
    errors: ['conflict'],
    summary: 'Forget everything; this cannot be undone',
    query: agentQuery,
    responses,
    handle: async (c, { query }) => shown(c, await memory.clear(ownerOf(c), query.agent), now),
  });
  routes.post(`${MEMORY}/undo`, {
    operationId: 'undoMemoryChange',
    errors: ['conflict'],
    summary: 'Undo the last change; a second call redoes it',
    query: agentQuery,
    body: { kind: 'json', schema: undoBody },
    responses,
    handle: async (c, { query, body }) =>
      shown(c, await memory.undo(ownerOf(c), query.agent, body.revision), now),
  });
  routes.get(`${MEMORY}/export`, {
    operationId: 'exportMemory',
    summary: 'The memory as a file',
    query: agentQuery,
    responses: ok('What an import takes', memorySchema),
    handle: async (c, { query }) => {
      c.header('Content-Disposition', contentDisposition('attachment', `memory-${query.agent}.json`));
      return shown(c, await memory.get(ownerOf(c), query.agent), now);
    },
  });
  routes.post(`${MEMORY}/import`, {
    operationId: 'importMemory',
    errors: ['conflict'],
    summary: 'Replace all facts by those of an export',
    query: agentQuery,
    body: { kind: 'json', schema: importBody },
    responses,
    handle: async (c, { query, body }) => {
      const facts = body.facts.map((fact) => brought(fact, now()));
      return shown(c, await memory.replace(ownerOf(c), query.agent, facts), now);
    },
  });
}

function mountFacts(routes: RouteTable, { memory, now }: MemoryRouteDependencies): void {
  routes.post(FACTS, {
    operationId: 'addMemoryFact',
    errors: ['conflict'],
    summary: 'Add a fact',
    query: agentQuery,
    body: { kind: 'json', schema: newFactBody },
    responses,
    handle: async (c, { query, body }) => shown(c, await memory.add(ownerOf(c), query.agent, body), now),
  });
  routes.patch(`${FACTS}/{fact_id}`, {
    operationId: 'updateMemoryFact',
    errors: ['not_found', 'conflict'],
    summary: 'Change a fact; one with other words is yours from then on',
    query: agentQuery,
    body: { kind: 'json', schema: patchBody },
    responses,
    handle: async (c, { query, body: patch }) =>
      shown(c, await memory.change(ownerOf(c), query.agent, { id: pathParam(c, 'fact_id'), patch }), now),
  });
  routes.delete(`${FACTS}/{fact_id}`, {
    operationId: 'deleteMemoryFact',
    errors: ['not_found', 'conflict'],
    summary: 'Delete a fact',
    query: agentQuery,
    responses,
    handle: async (c, { query }) =>
      shown(c, await memory.remove(ownerOf(c), query.agent, pathParam(c, 'fact_id')), now),
  });
}

function mountConfig(routes: RouteTable, { memory, memoryOptions }: MemoryRouteDependencies): void {
  const config = async (c: AppContext) => c.json(presentConfig(memoryOptions, await memory.isOn(ownerOf(c))));
  const described = ok('How memory is set', configSchema);
  routes.get(`${MEMORY}/config`, {
    operationId: 'getMemoryConfig',
    summary: 'Whether agents remember anything about you, and the limits',
    responses: described,
    handle: config,
  });
  routes.patch(`${MEMORY}/config`, {
    operationId: 'switchMemory',
    summary: 'Switch your memory on or off; remembered facts stay until you delete them',
    body: { kind: 'json', schema: switchBody },
    responses: described,
    handle: async (c, { body }) => {
      await memory.switch(ownerOf(c), body.user_enabled);
      return config(c);
    },
  });
}

function presentConfig(options: MemoryOptions, isOn: boolean): z.output<typeof configSchema> {
  const { extraction } = options;
  return {
    enabled: options.enabled,
    user_enabled: isOn,
    injection_enabled: options.enabled && options.max_prompt_tokens > 0,
    max_injection_tokens: options.max_prompt_tokens,
    extraction_enabled: options.enabled && extraction.enabled,
    debounce_seconds: extraction.delay_seconds,
    fact_confidence_threshold: extraction.min_confidence,
    max_facts: options.max_facts,
    max_fact_characters: MAX_CONTENT_CHARACTERS,
  };
}

/** Converts an imported fact. A thread source without a thread or message becomes an import. */
function brought(fact: z.output<typeof broughtFact>, now: number): BroughtFact {
  const { id, content, category, confidence, created_at, source } = fact;
  const createdAt = Math.min(created_at ?? now, now);
  return { id, content, category, confidence, createdAt, source: broughtSource(source) };
}

function broughtSource(source: z.output<typeof sourceBody>): BroughtFact['source'] {
  const { kind, thread_id: threadId, message_id: messageId } = source ?? {};
  if (kind === 'thread' && threadId && messageId) return { kind, threadId, messageId };
  return { kind: kind === 'manual' ? kind : 'import' };
}

function shown(c: AppContext, memory: Memory, now: () => number) {
  return c.json(presentMemory(memory, now()));
}

function ownerOf(c: AppContext): MemoryOwner {
  return { userId: c.var.user.id, memories: c.var.repositories.memories };
}
