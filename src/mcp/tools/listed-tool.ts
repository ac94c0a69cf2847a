// A tool as a server lists it, cleaned; and its digest, by which a changed one is told.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { JsonObject } from '../../messages/message.ts';
import { withoutHidden } from '../server-words.ts';
import { cleanSchema } from './clean-schema.ts';
import type { SchemaCheck } from './schema-check.ts';

export interface ListedTool {
  /** The server's name of it. */
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string;
  readonly inputSchema: JsonObject;
  /** Of all that a model is shown of it. */
  readonly digest: string;
}

/** A tool that is not offered, and a clause that says why. */
export interface LeftOut {
  readonly name: string;
  readonly reason: string;
}

const MAX_NAME = 1_024;
const MAX_TITLE = 256;
const MAX_DESCRIPTION = 8_192;
const SHOWN_NAME = 100;

const given = z.looseObject({
  name: z.string().min(1),
  title: z.string().optional(),
  description: z.string().optional(),
  inputSchema: z.unknown().optional(),
});

/** Descriptions that are too long are cut; everything else that does not fit leaves the tool out. */
export function listedTool(item: unknown, check: SchemaCheck): ListedTool | LeftOut {
  const parsed = given.safeParse(item);
  if (!parsed.success) return { name: '', reason: 'it has no name, or its description is no text' };
  const { name: givenName, title, description = '', inputSchema = {} } = parsed.data;
  const name = withoutHidden(givenName);
  const shown = name.slice(0, SHOWN_NAME);
  if (givenName.length > MAX_NAME)
    return { name: shown, reason: `its name is longer than ${MAX_NAME} characters` };
  if (name !== givenName || name.trim() === '')
    return { name: shown, reason: 'its name has signs that nobody sees' };
  const clean = cleanSchema(inputSchema);
  if (!clean.ok) return { name: shown, reason: clean.problem };
  const problem = check(clean.schema);
  if (problem !== undefined) return { name: shown, reason: problem };
  const shownDescription = withoutHidden(description.slice(0, MAX_DESCRIPTION));
  return {
    name,
    title: title === undefined ? undefined : withoutHidden(title.slice(0, MAX_TITLE)),
    description: shownDescription,
    inputSchema: clean.schema,
    digest: digestOf([name, shownDescription, clean.schema]),
  };
}

/** The same for objects whose keys come in another order. */
function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value, sorted)).digest('hex');
}

function sorted(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
