// A small writer of the container of the old office formats, and of the numbers in it, for tests.
import { CFB } from '@e965/xlsx';

/** Returns the file with these streams. */
export function compoundFileOf(streams: Readonly<Record<string, Uint8Array>>): Buffer {
  const container = CFB.utils.cfb_new();
  for (const [name, content] of Object.entries(streams)) CFB.utils.cfb_add(container, `/${name}`, content);
  const bytes: unknown = CFB.write(container, { type: 'buffer' });
  if (!Buffer.isBuffer(bytes)) throw new Error('The library writes buffers.');
  return bytes;
}

export function u32(...numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(numbers.length * 4);
  for (const [index, number] of numbers.entries()) bytes.writeUInt32LE(number, index * 4);
  return bytes;
}

export function u16(number: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(number);
  return bytes;
}
