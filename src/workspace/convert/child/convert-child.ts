// The process that converts one document: bytes on its standard input, a report as the last line of what it says.
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
  // No memory for a buffer, a text or a stack.
  if (error instanceof RangeError) return 'The document is too large or too deeply nested to be read.';
  return 'The document is damaged and could not be read.';
}

// A pipe takes a little at a time; a reader that left something open does not hold the process.
process.stdout.write(`\n${JSON.stringify(await report())}\n`, () => process.exit(0));
