// The process that converts one document. Reads the bytes from standard input, and writes a report as the
// last line of its output.
import './without-network.ts';
import { readFileSync } from 'node:fs';
import { type ConversionReport, conversionOrderSchema } from '../conversion-order.ts';
import { readDocument } from './read-document.ts';
import { Unreadable } from './unreadable.ts';

const STDIN = 0;

async function report(): Promise<ConversionReport> {
  try {
    const order = conversionOrderSchema.parse(JSON.parse(process.argv[2] ?? ''));
    return { kind: 'converted', markdown: await readDocument(readFileSync(STDIN), order) };
  } catch (error) {
    return { kind: 'failed', reason: reasonOf(error) };
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof Unreadable) return error.message;
  // Out of memory for a buffer or a text, or out of stack.
  if (error instanceof RangeError) return 'The document is too large or too deeply nested to be read.';
  return 'The document is damaged and could not be read.';
}

// Exits only once the pipe has taken everything, and even if a reader left something open.
process.stdout.write(`\n${JSON.stringify(await report())}\n`, () => process.exit(0));
