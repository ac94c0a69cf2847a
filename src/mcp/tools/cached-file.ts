// A small JSON file in the data home: read again after a change, and replaced as a whole.

import { randomUUID } from 'node:crypto';
import { stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { z } from 'zod';
import { jsonIn } from '../../json/unknown-json.ts';
import { insideDataHome, openChildFile, useFile } from '../../workspace/folder.ts';
import { ifThere } from '../../workspace/workspace-failure.ts';
import { replaceText, toVersion } from '../private-file.ts';

export interface FilePlace {
  readonly dataHome: string;
  /** The components of its folder below the data home. */
  readonly folder: readonly string[];
  readonly name: string;
}

export type CachedReading<Value> =
  | { readonly kind: 'read'; readonly value: Value }
  | { readonly kind: 'absent' }
  /** The file exists but holds something else, perhaps nothing. */
  | { readonly kind: 'unreadable' };

export interface CachedFile<Value> {
  /** Reads from memory while the file is the same; `undefined` when it is absent or holds something else. */
  read(): Promise<Value | undefined>;
  /** As `read`, with the reason when there is no value. */
  readResult(): Promise<CachedReading<Value>>;
  /** Writes a value, which is read again only if it matches the schema. Durable when it resolves. */
  write(value: object): Promise<void>;
  /** Idempotent. */
  remove(): Promise<void>;
}

const LARGEST = 128 * 1_048_576;

/** Several processes may share the file: the last write wins. */
export function createCachedFile<Schema extends z.ZodType>(
  { dataHome, folder, name }: FilePlace,
  schema: Schema,
): CachedFile<z.output<Schema>> {
  let known: { readonly mark: string; readonly reading: CachedReading<z.output<Schema>> } | undefined;
  const place = { names: folder, create: false };
  const path = join(dataHome, ...folder, name);
  const readResult = async (): Promise<CachedReading<z.output<Schema>>> => {
    // Called at every run, so an unchanged file is checked only by its path and read from memory.
    const mark = known && (await stat(path).then(toVersion, () => undefined));
    if (known !== undefined && mark === known.mark) return known.reading;
    const reading = insideDataHome(dataHome, place, (opened) =>
      useFile(openChildFile(opened, name), async ({ handle, stats }) => {
        const text = stats.size > LARGEST ? '' : await handle.readFile('utf8');
        known = { mark: toVersion(stats), reading: parsed(schema, text) };
        return known.reading;
      }),
    );
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
    write: (value) => replaceText({ dataHome, names: folder, name }, JSON.stringify(value), randomUUID()),
  };
}

function parsed<Schema extends z.ZodType>(schema: Schema, text: string): CachedReading<z.output<Schema>> {
  const { success, data } = schema.safeParse(jsonIn(text));
  return success ? { kind: 'read', value: data } : { kind: 'unreadable' };
}
