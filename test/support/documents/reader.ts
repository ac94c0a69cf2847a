// Converts documents in this process, for many small ones that would otherwise need a process each.
import { readFileSync } from 'node:fs';
import { readDocument } from '../../../src/workspace/convert/child/read-document.ts';
import { Unreadable } from '../../../src/workspace/convert/child/unreadable.ts';
import type { ConvertedExtension } from '../../../src/workspace/convert/conversion-order.ts';

const MIB = 1_048_576;

/** Returns the bytes of a file of `test/documents`. */
export function document(name: string): Buffer {
  return readFileSync(new URL(`../../documents/${name}`, import.meta.url));
}

/** Converts without LibreOffice and without native code. */
export function markdownOf(extension: ConvertedExtension, bytes: Buffer): Promise<string> {
  return readDocument(bytes, {
    extension,
    maxMarkdownBytes: MIB,
    maxUnpackedBytes: 100 * MIB,
    pdfReader: 'script',
  });
}

/** Returns the sentence for the person; throws any other failure. */
export async function reasonOf(extension: ConvertedExtension, bytes: Buffer): Promise<string> {
  try {
    return `converted: ${await markdownOf(extension, bytes)}`;
  } catch (error) {
    if (error instanceof Unreadable) return error.message;
    throw error;
  }
}
