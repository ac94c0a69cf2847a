// The stored data of one account at one server, in a sealed file for each.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { z } from 'zod';
import { createSerialQueue } from '../../workspace/serial-queue.ts';
import { type PrivateFileAt, readPrivateFile, removePrivateFile, writePrivateFile } from '../private-file.ts';

type SealedFileAt = Pick<PrivateFileAt, 'names' | 'name'>;

export type SealedFiles<Value> = ReturnType<typeof createSealedFiles<Value>>;

type Change<Value> = (value: Value | undefined) => Value | undefined | Promise<Value | undefined>;

interface SealedFileParts<Value> {
  readonly dataHome: string;
  readonly key: Buffer;
  readonly schema: z.ZodType<Value>;
}

/** Includes metadata of an authorization server. */
const MAX_BYTES = 4 * 1_048_576;

export function createSealedFiles<Value>({ dataHome, key, schema }: SealedFileParts<Value>) {
  const changes = createSerialQueue();
  const fileAt = (at: SealedFileAt): PrivateFileAt => ({ dataHome, ...at, shownAs: 'The sign-in' });
  const placeOf = ({ names, name }: SealedFileAt) => [...names, name].join('/');

  const read = async (at: SealedFileAt): Promise<Value | undefined> => {
    const found = await readPrivateFile(fileAt(at), MAX_BYTES);
    const text = found === undefined ? undefined : openText(key, found.text, placeOf(at));
    return text === undefined ? undefined : schema.safeParse(JSON.parse(text)).data;
  };

  return {
    /** Returns `undefined` when there is no file, or it was sealed with another key. */
    read,
    /**
     * Replaces the stored value by the result of `change`, one change after the other. `undefined` removes the
     * file; the same value leaves it alone. Durable when it resolves. Returns the value that is stored then.
     */
    update: (at: SealedFileAt, change: Change<Value>): Promise<Value | undefined> =>
      changes.run(placeOf(at), async () => {
        const before = await read(at);
        const value = await change(before);
        // A file that cannot be read is removed as well.
        if (value !== undefined && value === before) return value;
        if (value === undefined) await removePrivateFile(fileAt(at));
        else await writePrivateFile(fileAt(at), sealText(key, JSON.stringify(value), placeOf(at)));
        return value;
      }),
  };
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts and authenticates (AES-256-GCM). The text can be opened only at its `place`. */
function sealText(key: Buffer, text: string, place: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(place));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
}

/** Returns `undefined` for a text that was sealed with another key or for another place, or was changed. */
function openText(key: Buffer, sealed: string, place: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64');
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
  try {
    const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(place))
      .setAuthTag(tag);
    const text = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
    return text.toString('utf8');
  } catch {
    return undefined;
  }
}
