// A small JSON file in the data home: read again after a change, and replaced as a whole.

import { stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { z } from 'zod';
import { jsonIn } from '../../json/unknown-json.ts';
import { insideDataHome, openChildFile, useFile } from '../../workspace/folder.ts';
import { ifThere } from '../../workspace/workspace-failure.ts';
import { type PrivateFileAt, replaceText, toVersion } from '../private-file.ts';

export type FilePlace = Omit<PrivateFileAt, 'shownAs'>;

export type CachedFile<Value extends object> = ReturnType<typeof createCachedFile<Value>>;

const LARGEST = 128 * 1_048_576;

/** Several processes may share the file: the last write wins. */
export function createCachedFile<Value extends object>(at: FilePlace, schema: z.ZodType<Value>) {
  const { dataHome, names, name } = at;
  let known: { readonly mark: string; readonly value: Value | 'unreadable' } | undefined;
  const folder = { names, create: false };
  const path = join(dataHome, ...names, name);
  return {
    /**
     * Reads from memory while the file is the same. Returns why there is no value: the file is `absent`, or it
     * is `unreadable`, because it holds something else, perhaps nothing.
     */
    async read(): Promise<Value | 'absent' | 'unreadable'> {
      // Called at every run, so an unchanged file is checked only by its path and read from memory.
      const mark = known && (await stat(path).then(toVersion, () => undefined));
      if (known !== undefined && mark === known.mark) return known.value;
      const reading = insideDataHome(dataHome, folder, (opened) =>
        useFile(openChildFile(opened, name), async ({ handle, stats }) => {
          const text = stats.size > LARGEST ? '' : await handle.readFile('utf8');
          const value = schema.safeParse(jsonIn(text)).data ?? 'unreadable';
          known = { mark: toVersion(stats), value };
          return value;
        }),
      );
      return (await ifThere(reading)) ?? 'absent';
    },
    /** Idempotent. */
    async remove(): Promise<void> {
      await ifThere(insideDataHome(dataHome, folder, (opened) => unlink(opened.at(name))));
    },
    /** Writes a value, which is read again only if it matches the schema. Durable when it resolves. */
    write: (value: object): Promise<void> => replaceText(at, JSON.stringify(value)),
  };
}
