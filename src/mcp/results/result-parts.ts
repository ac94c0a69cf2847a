// The response of a tool server, in parts that a tool can show or save: texts, files, links.
import { z } from 'zod';
import { createBreath } from '../../breath.ts';
import { MAX_DEPTH, MAX_VALUES } from '../../json/json-text.ts';

export type ResultPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'file'; readonly mimeType: string; readonly bytes: Buffer }
  | { readonly kind: 'link'; readonly uri: string; readonly name: string; readonly description: string };

export interface CallResult {
  readonly isError: boolean;
  readonly parts: readonly ResultPart[];
  readonly notes: readonly string[];
}

/** The response to `tools/call`. Its items are checked one by one. */
export const callResultSchema = z.looseObject({
  content: z.array(z.unknown()).default([]),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().default(false),
});

export const resourceResultSchema = z.looseObject({ contents: z.array(z.unknown()) });

export const promptResultSchema = z.looseObject({
  description: z.string().optional(),
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown() })),
});

const MAX_ITEMS = 1_000;
const MAX_FILES = 50;
const TOO_LARGE_CONTENT =
  '(Its structured content was omitted: it has more than 200 levels or more than 100,000 values.)';

const resource = z.looseObject({
  uri: z.string(),
  mimeType: z.string().optional(),
  text: z.string().optional(),
  blob: z.string().optional(),
});
const item = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({ type: z.enum(['image', 'audio']), data: z.string(), mimeType: z.string() }),
  z.looseObject({
    type: z.literal('resource_link'),
    uri: z.string(),
    name: z.string().default(''),
    description: z.string().default(''),
  }),
  z.looseObject({ type: z.literal('resource'), resource }),
]);

/** Shows structured content only without text, because servers send the same as text for older clients. */
export async function callResult(result: z.output<typeof callResultSchema>): Promise<CallResult> {
  const { content, isError, structuredContent } = result;
  const read = { ...(await partsOf(content, itemPart)), isError };
  const hasText = read.parts.some(({ kind }) => kind === 'text');
  if (hasText || structuredContent === undefined) return read;
  if (!isSmall(structuredContent)) return { ...read, notes: [...read.notes, TOO_LARGE_CONTENT] };
  return { ...read, parts: [...read.parts, { kind: 'text', text: JSON.stringify(structuredContent) }] };
}

export function resourceResult({ contents }: z.output<typeof resourceResultSchema>): Promise<CallResult> {
  return partsOf(contents, (it) => {
    const parsed = resource.safeParse(it);
    return parsed.success ? resourcePart(parsed.data) : undefined;
  });
}

export function promptResult({ messages }: z.output<typeof promptResultSchema>): Promise<CallResult> {
  return partsOf(messages, ({ role, content }) => {
    const part = itemPart(content);
    return part?.kind === 'text' ? { kind: 'text', text: `${role}: ${part.text}` } : part;
  });
}

async function partsOf<Item>(
  items: readonly Item[],
  read: (it: Item) => ResultPart | undefined,
): Promise<CallResult> {
  const parts: ResultPart[] = [];
  const breath = createBreath();
  let unknown = 0;
  let files = 0;
  for (const it of items.slice(0, MAX_ITEMS)) {
    const wait = breath();
    if (wait !== undefined) await wait;
    const part = read(it);
    if (part?.kind === 'file') files++;
    if (part === undefined) unknown++;
    else if (part.kind !== 'file' || files <= MAX_FILES) parts.push(part);
  }
  return {
    isError: false,
    parts,
    notes: [
      ...noteOf(items.length - MAX_ITEMS, 'items beyond the first 1000 were omitted'),
      ...noteOf(files - MAX_FILES, 'files beyond the first 50 were omitted'),
      ...noteOf(unknown, 'items of a kind that is not known were left out'),
    ],
  };
}

function noteOf(count: number, what: string): readonly string[] {
  return count > 0 ? [`(${count} ${what}.)`] : [];
}

function itemPart(given: unknown): ResultPart | undefined {
  const parsed = item.safeParse(given);
  if (!parsed.success) return undefined;
  const { data } = parsed;
  switch (data.type) {
    case 'text':
      return { kind: 'text', text: data.text.toWellFormed() };
    case 'image':
    case 'audio':
      return { kind: 'file', mimeType: data.mimeType, bytes: Buffer.from(data.data, 'base64') };
    case 'resource_link':
      return {
        kind: 'link',
        uri: data.uri.toWellFormed(),
        name: data.name.toWellFormed(),
        description: data.description.toWellFormed(),
      };
    case 'resource':
      return resourcePart(data.resource);
  }
}

function resourcePart({ text, blob, mimeType }: z.output<typeof resource>): ResultPart | undefined {
  if (text !== undefined) return { kind: 'text', text: text.toWellFormed() };
  if (blob === undefined) return undefined;
  return {
    kind: 'file',
    mimeType: mimeType ?? 'application/octet-stream',
    bytes: Buffer.from(blob, 'base64'),
  };
}

/** Checks without recursion whether the content can be printed, which recurses. */
function isSmall(content: unknown): boolean {
  const open = [{ value: content, depth: 0 }];
  let values = 1;
  for (let it = open.pop(); it !== undefined; it = open.pop()) {
    const { value, depth } = it;
    if (typeof value !== 'object' || value === null) continue;
    const inner: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
    values += inner.length;
    if (values > MAX_VALUES || depth === MAX_DEPTH) return false;
    for (const child of inner) open.push({ value: child, depth: depth + 1 });
  }
  return true;
}
