// What is kept of one account at one server: a file of its own, sealed, read again when it changed.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { z } from 'zod';
import { createSerialQueue } from '../../workspace/serial-queue.ts';
import { type PrivateFileAt, readPrivateFile, removePrivateFile, writePrivateFile } from '../private-file.ts';

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

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypted and authenticated (AES-256-GCM). `place` is where the text belongs: at any other one it cannot be opened. */
function sealText(key: Buffer, text: string, place: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(place));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
}

/** `undefined` for what was sealed with another key or for another place, and for what was changed. */
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
