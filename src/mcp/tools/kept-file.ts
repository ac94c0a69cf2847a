// A small JSON file in the data home: read again when it changed, and swapped as a whole.
import { randomUUID } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { rename, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { z } from 'zod';
import { insideDataHome, openChildFile } from '../../workspace/folder.ts';
import { DRAFTS } from '../../workspace/paths.ts';
import { isFileSystemError } from '../../workspace/workspace-failure.ts';

interface FilePlace {
  readonly dataHome: string;
  /** The components of its folder below the data home. */
  readonly folder: readonly string[];
  readonly name: string;
}

export interface KeptFile<Value> {
  /** From memory when it did not change; `undefined`: it is not there, or holds something else. */
  read(): Promise<Value | undefined>;
  /** Of the schema, or it is not read again. */
  write(value: object): Promise<void>;
  /** Idempotent. */
  remove(): Promise<void>;
}

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL } = constants;
const LARGEST = 128 * 1_048_576;

/** Several processes may share it: whoever writes last has the say. */
export function createKeptFile<Schema extends z.ZodType>(
  { dataHome, folder, name }: FilePlace,
  schema: Schema,
): KeptFile<z.output<Schema>> {
  let known: { readonly mark: string; readonly value: z.output<Schema> | undefined } | undefined;
  const place = { names: folder, create: false };
  const path = join(dataHome, ...folder, name);
  return {
    async read() {
      // Asked at every run, so by its path alone while it is the same: what is read comes from memory then.
      if (known !== undefined && (await markAt(path)) === known.mark) return known.value;
      try {
        return await insideDataHome(dataHome, place, async (opened) => {
          const { handle, stats } = await openChildFile(opened, name, O_RDONLY);
          try {
            const text = stats.size > LARGEST ? '' : await handle.readFile('utf8');
            known = { mark: markOf(stats), value: parsed(schema, text) };
          } finally {
            await handle.close();
          }
          return known.value;
        });
      } catch (error) {
        if (isFileSystemError(error, 'ENOENT')) return undefined;
        throw error;
      }
    },
    async remove() {
      try {
        await insideDataHome(dataHome, place, (opened) => unlink(opened.at(name)));
      } catch (error) {
        if (!isFileSystemError(error, 'ENOENT')) throw error;
      }
    },
    async write(value) {
      const draft = randomUUID();
      await insideDataHome(dataHome, { names: folder, create: true }, (opened) =>
        insideDataHome(dataHome, { names: [DRAFTS], create: true }, async (drafts) => {
          const { handle } = await openChildFile(drafts, draft, O_WRONLY | O_CREAT | O_EXCL);
          try {
            await handle.writeFile(JSON.stringify(value));
          } finally {
            await handle.close();
          }
          await rename(drafts.at(draft), opened.at(name)).catch(async (error: unknown) => {
            await unlink(drafts.at(draft)).catch(() => {});
            throw error;
          });
        }),
      );
    },
  };
}

async function markAt(path: string): Promise<string | undefined> {
  return stat(path).then(markOf, () => undefined);
}

function markOf({ mtimeMs, size, ino }: Stats): string {
  return `${mtimeMs} ${size} ${ino}`;
}

function parsed<Schema extends z.ZodType>(schema: Schema, text: string): z.output<Schema> | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
