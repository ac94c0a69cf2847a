// Converts each document in a process of its own, which may end badly without taking anything along.
import { createFairShare, type Refusal, refusalSentence } from '../../fair-share/fair-share.ts';
import { fairShareLimits } from '../../fair-share/fair-share-options.ts';
import type { ProcessOutcome } from '../../processes/outcome.ts';
import { type ProcessLimits, runProcess } from '../../processes/run-process.ts';
import type { ConversionCommand } from './conversion-command.ts';
import type { ConversionOptions } from './conversion-options.ts';
import {
  type ConversionReport,
  type ConversionTask,
  conversionReportSchema,
  isConverted,
} from './conversion-order.ts';
import type { Conversion, Converter, DocumentToConvert } from './converter.ts';

export interface ProcessConverterParts {
  readonly options: ConversionOptions;
  readonly command: (task: ConversionTask) => Promise<ConversionCommand>;
}

const MIB = 1_048_576;
/** Beside the Markdown, its escapes in JSON, and what libraries say: a document of nothing but quotes has two for one. */
const OUTPUT_SHARE = 3;
/** With their threads, of which Node has a dozen, and LibreOffice several. */
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
): Promise<Conversion> {
  if (!isConverted(extension)) return failed('Files of this kind are not converted.');
  const process = await command({
    extension,
    maxMarkdownBytes: options.markdown_mb * MIB,
    maxUnpackedBytes: options.unpacked_mb * MIB,
  });
  const pieces: Uint8Array[] = [];
  const outcome = await runProcess(
    { ...process, stdin: fd, env: { PATH, LANG: 'C.UTF-8', TZ: 'UTC' } },
    limitsOf(options),
    {
      signal,
      output: { take: (stream, piece) => void (stream === 'stdout' && pieces.push(piece)), end() {} },
    },
  );
  if (outcome.kind === 'exited' && outcome.code === 0) return reported(Buffer.concat(pieces));
  return failed(reasonOf(outcome, options));
}

function limitsOf({ timeout_seconds, markdown_mb, memory_mb }: ConversionOptions): ProcessLimits {
  return {
    timeoutMs: timeout_seconds * 1_000,
    outputBytes: (markdown_mb + 1) * OUTPUT_SHARE * MIB,
    tree: { processes: PROCESSES, memoryBytes: memory_mb * MIB },
    watchDisk: async () => undefined,
  };
}

/** The last line; a document may have had the process say whatever it wants, so it is read as what it is. */
function reported(output: Buffer): ConversionReport {
  const text = output.toString('utf8').trimEnd();
  try {
    return conversionReportSchema.parse(JSON.parse(text.slice(text.lastIndexOf('\n') + 1)));
  } catch {
    return failed(BROKE_OFF);
  }
}

const STOPPED = 'The conversion was stopped. Upload the document again.';
const BROKE_OFF =
  'The document could not be read: it is damaged, or needs more memory than a conversion may take.';

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
      return 'The document becomes more Markdown than a conversion may give.';
    case 'cancelled':
    case 'disk':
    case 'quota':
      return STOPPED;
    default:
      return outcome.cause satisfies never;
  }
}

function failed(reason: string): { readonly kind: 'failed'; readonly reason: string } {
  return { kind: 'failed', reason };
}
