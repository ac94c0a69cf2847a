// What tools said of themselves when they were approved, so that people see what is different now.
import { z } from 'zod';
import type { JsonObject } from '../../messages/message.ts';
import { createKeptFile, type FilePlace } from './kept-file.ts';
import type { ListedTool } from './listed-tool.ts';

export interface ToolDefinition {
  readonly description: string;
  readonly inputSchema: JsonObject;
}

interface ApprovedDefinition extends ToolDefinition {
  /** Of the tool as it was approved. */
  readonly digest: string;
}

export interface ApprovedDefinitions {
  /** These replace what is kept of tools of the same names. What finds no room is left out. Durable when it resolves. */
  keep(tools: readonly ListedTool[]): Promise<void>;
  /** By the names of the tools. */
  read(): Promise<ReadonlyMap<string, ApprovedDefinition>>;
}

const definition = z.object({
  digest: z.string(),
  description: z.string(),
  inputSchema: z.record(z.string(), z.json()),
});
const definitions = z.object({ tools: z.record(z.string(), definition) });
/** As much as a list of tools may have. */
const MAX_CHARACTERS = 2_097_152;

/** Holds nothing in memory: it is read when somebody looks at a change. */
export function createApprovedDefinitions(place: FilePlace): ApprovedDefinitions {
  const read: ApprovedDefinitions['read'] = async () => {
    const kept = await createKeptFile(place, definitions).read();
    return new Map(Object.entries(kept?.tools ?? {}));
  };
  return {
    read,
    async keep(tools) {
      const known = await read();
      const newest = new Map(
        tools.map(({ name, digest, description, inputSchema }) => [
          name,
          { digest, description, inputSchema },
        ]),
      );
      const older = [...known].filter(([name]) => !newest.has(name));
      await createKeptFile(place, definitions).write({ tools: withRoom([...newest, ...older]) });
    },
  };
}

function withRoom(entries: readonly (readonly [string, ApprovedDefinition])[]) {
  let characters = 0;
  const fitting = entries.filter((entry) => {
    const length = JSON.stringify(entry).length;
    if (characters + length > MAX_CHARACTERS) return false;
    characters += length;
    return true;
  });
  return Object.fromEntries(fitting);
}
