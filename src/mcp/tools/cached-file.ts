// A small JSON file in the data home: read again when it changed, and swapped as a whole.
import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { z } from 'zod';
import { insideDataHome, openChildFile } from '../../workspace/folder.ts';
import { ifThere } from '../../workspace/workspace-failure.ts';
import { replaceFile, toVersion } from '../private-file.ts';

export interface FilePlace {
  readonly dataHome: string;
  /** The components of its folder below the data home. */
  readonly folder: readonly string[];
  readonly name: string;
}

export type CachedReading<Value> =
  | { readonly kind: 'read'; readonly value: Value }
  | { readonly kind: 'absent' }
  /** It is there and holds something else, perhaps nothing. */
  | { readonly kind: 'unreadable' };

export interface CachedFile<Value> {
  /** From memory when it did not change; `undefined`: it is not there, or holds something else. */
  read(): Promise<Value | undefined>;
  /** The same, with why there is nothing. */
  readResult(): Promise<CachedReading<Value>>;
  /** Of the schema, or it is not read again. Durable when it resolves. */
  write(value: object): Promise<void>;
  /** Idempotent. */
  remove(): Promise<void>;
}

const { O_RDONLY } = constants;
const LARGEST = 128 * 1_048_576;

/** Several processes may share it: the last write wins. */
export function createCachedFile<Schema extends z.ZodType>(
  { dataHome, folder, name }: FilePlace,
  schema: Schema,
): CachedFile<z.output<Schema>> {
  let known: { readonly mark: string; readonly reading: CachedReading<z.output<Schema>> } | undefined;
  const place = { names: folder, create: false };
  const path = join(dataHome, ...folder, name);
  const readResult = async (): Promise<CachedReading<z.output<Schema>>> => {
    // Asked at every run, so by its path alone while it is the same: what is read comes from memory then.
    if (known !== undefined && (await markAt(path)) === known.mark) return known.reading;
    const reading = insideDataHome(dataHome, place, async (opened) => {
      const { handle, stats } = await openChildFile(opened, name, O_RDONLY);
      try {
        const text = stats.size > LARGEST ? '' : await handle.readFile('utf8');
        known = { mark: toVersion(stats), reading: parsed(schema, text) };
      } finally {
        await handle.close();
      }
      return known.reading;
    });
    return (await ifThere(reading)) ?? { kind: 'absent' };
  };
  return {
    readResult,
    async read() {
      const reading = await readResult();
      return reading.kind === 'read' ? reading.value : undefined;
    },
    async remove() {
      await ifThere(insideDataHome(dataHome, place, (opened) => unlink(opened.at(name))));
    },
    write: (value) => replaceFile({ dataHome, names: folder, name }, JSON.stringify(value), randomUUID()),
  };
}

async function markAt(path: string): Promise<string | undefined> {
  return stat(path).then(toVersion, () => undefined);
}

function parsed<Schema extends z.ZodType>(schema: Schema, text: string): CachedReading<z.output<Schema>> {
  try {
    const { success, data } = schema.safeParse(JSON.parse(text));
    return success ? { kind: 'read', value: data } : { kind: 'unreadable' };
  } catch {
    return { kind: 'unreadable' };
  }
}
