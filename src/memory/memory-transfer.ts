// Exports the memories of a person with the account, and imports them into another account.
import { z } from 'zod';
import type { AccountLines, ArrivingLine } from '../storage/account-packages.ts';
import type { FactSource, MemoryFact } from '../storage/memories.ts';
import type { Storage } from '../storage/storage.ts';
import { CATEGORY, FACT_ID, MAX_CONTENT_CHARACTERS, oneLine } from './facts.ts';
import { type MemoryOwner, type MemoryService, MOST_AGENTS } from './memory-service.ts';

interface MemoryTransferParts {
  readonly storage: Pick<Storage, 'as'>;
  readonly memory: Pick<MemoryService, 'merge' | 'switch'>;
  readonly now: () => number;
}

/** More than any configuration allows. */
const MOST_FACTS = 1_000;
const AGENT = /^[A-Za-z0-9_-]{1,64}$/;

const id = z.string().min(1).max(128);
const sourceSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('thread'), thread_id: id, message_id: z.string().min(1).max(256) }),
  z.object({ kind: z.literal('manual') }),
  z.object({ kind: z.literal('import') }),
]);
const factSchema = z.object({
  id: z.string().regex(FACT_ID),
  content: z
    .string()
    .max(MAX_CONTENT_CHARACTERS)
    .transform(oneLine)
    .refine((text) => text !== '', 'A fact has words'),
  category: z.string().regex(CATEGORY),
  confidence: z.number().min(0).max(1),
  created_at: z.iso.datetime({ offset: true }).max(64),
  source: sourceSchema,
});
const lineSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('switch'), is_off: z.literal(true) }),
  z.object({
    type: z.literal('memory'),
    agent: z.string().regex(AGENT),
    facts: z.array(factSchema).max(MOST_FACTS),
  }),
]);
type Line = z.output<typeof lineSchema>;
type WrittenLine = z.input<typeof lineSchema>;

/** Exports the switch, if it is off, and the memory of each agent. */
export function createMemoryTransfer(parts: MemoryTransferParts): AccountLines {
  const { storage } = parts;
  return {
    maxLines: MOST_AGENTS + 1,
    async *lines(userId) {
      const { memories } = storage.as(userId);
      // First, so that no run reads facts of the package before memory is off.
      if (await memories.isOff()) yield { type: 'switch', is_off: true } satisfies WrittenLine;
      for (const { agent, facts } of await memories.list())
        if (facts.length > 0)
          yield { type: 'memory', agent, facts: facts.map(written) } satisfies WrittenLine;
    },
    read(line) {
      const parsed = lineSchema.safeParse(line);
      if (parsed.success) return arriving(parts, parsed.data);
      const [issue] = parsed.error.issues;
      return `${[...(issue?.path ?? []), ''].join('.')} ${issue?.message}.`.trim();
    },
  };
}

function arriving({ storage, memory, now }: MemoryTransferParts, line: Line): ArrivingLine {
  const ownerOf = (userId: string): MemoryOwner => ({ userId, memories: storage.as(userId).memories });
  if (line.type === 'switch')
    return {
      name: 'switch',
      async bringIn({ userId }) {
        await memory.switch(ownerOf(userId), false);
        return { added: 0, leftOut: [] };
      },
    };
  return {
    name: line.agent,
    async bringIn({ userId, threadIds }) {
      const facts = line.facts.map(({ created_at, source, ...fact }) => ({
        ...fact,
        createdAt: Math.min(Date.parse(created_at), now()),
        source: broughtSource(source, threadIds),
      }));
      const { added, leftOut } = await memory.merge(ownerOf(userId), line.agent, facts);
      const leftOutNotice = `${leftOut} of its facts were skipped: the memory is full (memory.max_facts).`;
      return { added, leftOut: leftOut === 0 ? [] : [leftOutNotice] };
    },
  };
}

function written({ id, content, category, confidence, createdAt, source }: MemoryFact) {
  return {
    id,
    content,
    category,
    confidence,
    created_at: new Date(createdAt).toISOString(),
    source: writtenSource(source),
  };
}

function writtenSource(source: FactSource) {
  if (source.kind !== 'thread') return { kind: source.kind };
  return { kind: source.kind, thread_id: source.threadId, message_id: source.messageId };
}

/** Returns the source of an imported fact. If its thread was not imported, the source is the import. */
function broughtSource(
  source: z.output<typeof sourceSchema>,
  threadIds: ReadonlyMap<string, string>,
): FactSource {
  if (source.kind !== 'thread') return source;
  const threadId = threadIds.get(source.thread_id);
  if (threadId === undefined) return { kind: 'import' };
  return { kind: 'thread', threadId, messageId: source.message_id };
}
