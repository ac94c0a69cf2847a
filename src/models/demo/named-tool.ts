// A request that names a tool, which may be one of a tool server, and has its arguments.
import { z } from 'zod';
import type { JsonObject } from '../../messages/message.ts';

/** What the person named. */
export interface NamedTool {
  readonly kind: 'use';
  readonly tool: string;
  readonly args: JsonObject;
}

const argsSchema: z.ZodType<JsonObject> = z.record(z.string(), z.json());

/** "use notes_search {"query": "tea"}"; without arguments only names with a low line are taken for tools. */
export function toolNamed(text: string): NamedTool | undefined {
  const match = /^(?:use|call)\s+`?([A-Za-z0-9_-]{1,64})`?(?=\s|$)/i.exec(text);
  const [beginning = '', tool = ''] = match ?? [];
  const rest = text.slice(beginning.length).trim();
  if (rest === '') return tool.includes('_') ? { kind: 'use', tool, args: {} } : undefined;
  const args = argsOf(rest);
  return tool === '' || args === undefined ? undefined : { kind: 'use', tool, args };
}

function argsOf(text: string): JsonObject | undefined {
  try {
    return argsSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
