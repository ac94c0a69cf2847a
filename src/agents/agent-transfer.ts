// Exports a person's agents and their versions with an account, and imports them from another one.
import { z } from 'zod';
import type { AccountLines, ArrivingLine } from '../storage/account-packages.ts';
import type { NewAgent } from '../storage/agents.ts';
import type { Storage } from '../storage/storage.ts';
import { agentFieldsSchema, agentNameSchema, shownDefinition, toDefinition } from './agent-definition.ts';
import { KEPT_VERSIONS, MAX_AGENTS } from './agents.ts';

interface AgentTransferParts {
  readonly storage: Pick<Storage, 'as'>;
  readonly hasModel: (name: string) => boolean;
  readonly now: () => number;
  readonly newId: () => string;
}

/** Versions are oldest first. */
const lineSchema = z.object({
  name: agentNameSchema,
  versions: z
    .array(agentFieldsSchema.extend({ created_at: z.iso.datetime({ offset: true }).max(64) }))
    .min(1)
    .max(KEPT_VERSIONS),
});

/** Exports the person's own agents, without whether they are shared, and without shared ones of others. */
export function createAgentTransfer(parts: AgentTransferParts): AccountLines {
  const { storage } = parts;
  return {
    maxLines: MAX_AGENTS,
    async *lines(userId) {
      const { agents } = storage.as(userId);
      for (const { agentId, name, isOwn } of await agents.list()) {
        if (!isOwn) continue;
        const versions = await agents.versions(agentId);
        // The agent was deleted during the listing.
        if (versions.length === 0) continue;
        const shown = versions.toReversed().map(({ createdAt, ...definition }) => ({
          created_at: new Date(createdAt).toISOString(),
          ...shownDefinition(definition),
        }));
        yield { name, versions: shown };
      }
    },
    read(line) {
      const parsed = lineSchema.safeParse(line);
      if (parsed.success) return arriving(parts, parsed.data);
      const [issue] = parsed.error.issues;
      return `${[...(issue?.path ?? []), ''].join('.')} ${issue?.message}.`.trim();
    },
  };
}

function arriving(
  { storage, hasModel, now, newId }: AgentTransferParts,
  { name, versions }: z.output<typeof lineSchema>,
): ArrivingLine {
  return {
    name,
    async bringIn({ userId }) {
      const missing = new Set<string>();
      const brought = versions.map(({ created_at, ...fields }): NewAgent['versions'][number] => {
        const definition = toDefinition(fields);
        const { model } = definition;
        const createdAt = Math.min(Date.parse(created_at), now());
        if (model === null || hasModel(model)) return { ...definition, createdAt };
        missing.add(model);
        return { ...definition, model: null, createdAt };
      });
      const agent = { agentId: newId(), name, versions: brought };
      const made = await storage.as(userId).agents.create(agent, MAX_AGENTS);
      if (made === 'exists') return { added: 0, leftOut: ['You have an agent of this name already.'] };
      if (made === 'too_many')
        return { added: 0, leftOut: [`You have ${MAX_AGENTS} agents. Delete one, and import again.`] };
      const without = [...missing].map(
        (model) => `Imported without its model ${model}, which this service does not have.`,
      );
      return { added: 1, leftOut: without };
    },
  };
}
