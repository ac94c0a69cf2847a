// Converts each document in a process of its own, so that a crash affects nothing else.

import { createFairShare, type Refusal, refusalSentence } from '../../fair-share/fair-share.ts';
import { fairShareLimits } from '../../fair-share/fair-share-options.ts';
import { jsonIn } from '../../json/unknown-json.ts';
import { collectedOutput, type ProcessOutcome } from '../../processes/outcome.ts';
import { type ProcessLimits, runProcess } from '../../processes/run-process.ts';
import type { ConversionCommand } from './conversion-command.ts';
import type { ConversionOptions } from './conversion-options.ts';
import {
  type ConversionReport,
  type ConversionTask,
  conversionReportSchema,
  isConverted,
} from './conversion-order.ts';
import type { Converter, DocumentToConvert } from './converter.ts';

export interface ProcessConverterParts {
  readonly options: ConversionOptions;
  readonly command: (task: ConversionTask) => Promise<ConversionCommand>;
}

const MIB = 1_048_576;
/** Leaves space for JSON escapes and messages of libraries. A document of only quotes doubles in size. */
const OUTPUT_SHARE = 3;
/** Counts threads, of which Node has a dozen, and LibreOffice several. */
const PROCESSES = 128;
const WAIT_FOR_PLACE_MS = 300_000;
const PATH = '/usr/local/bin:/usr/bin:/bin';

export function createProcessConverter(parts: ProcessConverterParts): Converter {
  const { options } = parts;
  const places = createFairShare(fairShareLimits(options, WAIT_FOR_PLACE_MS));
  return {
    reads: isConverted,
    longestMs: WAIT_FOR_PLACE_MS + options.timeout_seconds * 1_000,
    async convert(document) {
      const { userId, signal } = document;
      const turn = await places.use(userId, signal, () => convertNow(parts, document));
      return turn.kind === 'done' ? turn.result : failed(withoutPlace(turn));
    },
  };
}

async function convertNow(
  { options, command }: ProcessConverterParts,
  { fd, extension, signal }: DocumentToConvert,
): Promise<ConversionReport> {
  if (!isConverted(extension)) return failed('Files of this kind are not converted.');
  const process = await command({
    extension,
    maxMarkdownBytes: options.markdown_mb * MIB,
    maxUnpackedBytes: options.unpacked_mb * MIB,
  });
  const { output, stdout } = collectedOutput();
  const outcome = await runProcess(
    { ...process, stdin: fd, env: { PATH, LANG: 'C.UTF-8', TZ: 'UTC' } },
    limitsOf(options),
    { signal, output },
  );
  if (outcome.kind === 'exited' && outcome.code === 0) return reported(stdout());
  return failed(reasonOf(outcome, options));
}

function limitsOf({ timeout_seconds, markdown_mb, memory_mb }: ConversionOptions): ProcessLimits {
  return {
    timeoutMs: timeout_seconds * 1_000,
    outputBytes: (markdown_mb + 1) * OUTPUT_SHARE * MIB,
    tree: { processes: PROCESSES, memoryBytes: memory_mb * MIB },
  };
}

/** Reads the last line. A document may have made the process print anything, so the report is validated. */
function reported(output: Buffer): ConversionReport {
  const text = output.toString('utf8').trimEnd();
  const report = jsonIn(text.slice(text.lastIndexOf('\n') + 1));
  return conversionReportSchema.safeParse(report).data ?? failed(BROKE_OFF);
}

const STOPPED = 'The conversion was stopped. Upload the document again.';
const BROKE_OFF = 'The document could not be read: it is damaged, or its conversion needs too much memory.';

function withoutPlace(refusal: Refusal): string {
  if (refusal.kind === 'cancelled') return STOPPED;
  return `${refusalSentence(refusal, 'conversions')} Upload the document again then.`;
}

function reasonOf(outcome: ProcessOutcome, { timeout_seconds, memory_mb }: ConversionOptions): string {
  if (outcome.kind === 'failed') return 'The conversion could not be started. Tell an administrator.';
  if (outcome.kind !== 'stopped') return BROKE_OFF;
  switch (outcome.cause) {
    case 'timeout':
      return `The conversion took longer than ${timeout_seconds} s and was stopped.`;
    case 'memory':
    case 'processes':
      return `The conversion needed more than ${memory_mb} MB of memory and was stopped.`;
    case 'output':
      return 'The Markdown of the document is too large.';
    case 'cancelled':
    case 'disk':
    case 'quota':
      return STOPPED;
  }
}

function failed(reason: string): { readonly kind: 'failed'; readonly reason: string } {
  return { kind: 'failed', reason };
}
