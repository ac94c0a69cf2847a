// The cost of converting a long PDF: 300 pages with headings, lists and tables, in the process that uploads use.
import { mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConfinement } from '../src/processes/confinement.ts';
import { chooseConverter } from '../src/workspace/convert/choose-converter.ts';
import { conversionOptionsSchema } from '../src/workspace/convert/conversion-options.ts';
import { sandboxOptionsSchema } from '../src/workspace/sandbox/sandbox-options.ts';
import { pdfOf } from '../test/support/documents/pdf.ts';

const PAGES = 300;
const ROUNDS = 3;
const LOOK_MS = 5;
const MIB = 1_048_576;
const PAGE_BYTES = 4_096;

export interface ConversionFigures {
  readonly pages: number;
  /** The slowest of the rounds, from the call to the Markdown. */
  readonly ms: number;
  /** Of all processes of a conversion together, at its highest. */
  readonly peakBytes: number;
  readonly markdownBytes: number;
}

/** Converts it a few times. */
export async function measureConversion(): Promise<ConversionFigures> {
  const folder = await mkdtemp(join(tmpdir(), 'convert-bench-'));
  try {
    const path = join(folder, 'long.pdf');
    await writeFile(path, pdfOf(Array.from({ length: PAGES }, (_, index) => page(index + 1))));
    const rounds: ConversionFigures[] = [];
    for (let round = 0; round < ROUNDS; round += 1) rounds.push(await measured(path));
    return {
      pages: PAGES,
      ms: Math.max(...rounds.map(({ ms }) => ms)),
      peakBytes: Math.max(...rounds.map(({ peakBytes }) => peakBytes)),
      markdownBytes: rounds[0]?.markdownBytes ?? 0,
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}

function page(number: number): Parameters<typeof pdfOf>[0][number] {
  const sentence = 'The year was long and went well for everybody on the farm, as it did the year before.';
  return [
    { kind: 'heading', level: 1, text: `Part ${number}` },
    ...Array.from({ length: 12 }, (_, index) => ({
      kind: 'paragraph' as const,
      text: `${index + 1}. ${sentence}`,
    })),
    { kind: 'heading', level: 2, text: 'What we did' },
    { kind: 'list', items: ['Built a barn', 'Sold hay', 'Slept'] },
    {
      kind: 'table',
      rows: [
        ['Name', 'Count', 'Price'],
        ['Hay', String(number), '3.50'],
        ['Milk', '7', '1.20'],
      ],
    },
  ];
}

async function measured(path: string): Promise<ConversionFigures> {
  const converter = chooseConverter(
    conversionOptionsSchema.parse({}),
    createConfinement({ path: sandboxOptionsSchema.parse({}).path, hidden: [] }),
  );
  const file = await open(path);
  let peakBytes = 0;
  const look = setInterval(() => {
    void residentBytesBelow(process.pid).then((bytes) => {
      peakBytes = Math.max(peakBytes, bytes);
    });
  }, LOOK_MS);
  const start = performance.now();
  try {
    const signal = new AbortController().signal;
    const conversion = await converter.convert({ userId: 'bench', fd: file.fd, extension: '.pdf', signal });
    if (conversion.kind === 'failed') throw new Error(conversion.reason);
    const ms = performance.now() - start;
    return { pages: PAGES, ms, peakBytes, markdownBytes: Buffer.byteLength(conversion.markdown) };
  } finally {
    clearInterval(look);
    await file.close();
  }
}

/** Of the children, and theirs. */
async function residentBytesBelow(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lists = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, 'utf8').catch(() => '')),
  );
  const children = lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number));
  const sizes = await Promise.all(
    children.map(async (child) => {
      const statm = await readFile(`/proc/${child}/statm`, 'utf8').catch(() => '');
      return Number(statm.split(' ')[1] ?? 0) * PAGE_BYTES + (await residentBytesBelow(child));
    }),
  );
  return sizes.reduce((sum, bytes) => sum + bytes, 0);
}

if (import.meta.main) {
  const { pages, ms, peakBytes, markdownBytes } = await measureConversion();
  const memory = `${Math.round(peakBytes / MIB)} MB at most`;
  console.log(`${pages} pages of PDF: ${Math.round(ms)} ms, ${memory}, ${markdownBytes} bytes of Markdown`);
}
