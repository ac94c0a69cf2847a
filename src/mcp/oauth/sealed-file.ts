// What is kept of one account at one server: a file of its own, sealed, read again when it changed.
import type { z } from 'zod';
import { createSerialQueue } from '../../workspace/serial-queue.ts';
import { type PrivateFileAt, readPrivateFile, removePrivateFile, writePrivateFile } from '../private-file.ts';
import { openText, sealText } from './sealed-text.ts';

type SealedFileAt = Pick<PrivateFileAt, 'names' | 'name'>;

export interface SealedFiles<Value> {
  /** `undefined`: there is none, or it was sealed with another key. */
  read(at: SealedFileAt): Promise<Value | undefined>;
  /**
   * Replaces what is there by what `change` makes of it, one change after the other; `undefined` removes it, the same
   * value leaves the file alone. Durable when it resolves. Answers what is there then.
   */
  update(
    at: SealedFileAt,
    change: (value: Value | undefined) => Value | undefined | Promise<Value | undefined>,
  ): Promise<Value | undefined>;
}

interface SealedFileParts<Value> {
  readonly dataHome: string;
  readonly key: Buffer;
  readonly schema: z.ZodType<Value>;
  readonly newId: () => string;
}

/** Metadata of an authorization server are in it. */
const MAX_BYTES = 4 * 1_048_576;

export function createSealedFiles<Value>(parts: SealedFileParts<Value>): SealedFiles<Value> {
  const { dataHome, key, schema, newId } = parts;
  const changes = createSerialQueue();
  const fileAt = (at: SealedFileAt): PrivateFileAt => ({ dataHome, ...at, shownAs: 'The sign-in' });
  const placeOf = ({ names, name }: SealedFileAt) => [...names, name].join('/');

  const read = async (at: SealedFileAt): Promise<Value | undefined> => {
    const found = await readPrivateFile(fileAt(at), MAX_BYTES);
    const text = found === undefined ? undefined : openText(key, found.text, placeOf(at));
    return text === undefined ? undefined : schema.safeParse(JSON.parse(text)).data;
  };

  return {
    read,
    update: (at, change) =>
      changes.run(placeOf(at), async () => {
        const before = await read(at);
        const value = await change(before);
        // One that cannot be read is removed all the same.
        if (value !== undefined && value === before) return value;
        if (value === undefined) await removePrivateFile(fileAt(at));
        else await writePrivateFile(fileAt(at), sealText(key, JSON.stringify(value), placeOf(at)), newId());
        return value;
      }),
  };
}
