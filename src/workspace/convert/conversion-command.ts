// The command for the process that converts: Node with few permissions and system limits, boxed if possible.
import { access, constants, realpath } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Box, boxedCommand as inBox } from '../../processes/box.ts';
import type { Confinement } from '../../processes/confinement.ts';
import { type Command, limitedCommand } from '../../processes/limited-command.ts';
import type { ProcessToRun } from '../../processes/run-process.ts';
import type { ConversionOptions } from './conversion-options.ts';
import type { ConversionOrder, ConversionTask } from './conversion-order.ts';

export type ConversionCommand = Omit<ProcessToRun, 'env' | 'stdin'>;

interface BoxedConversion extends ConversionOptions {
  readonly box: Confinement;
  /** Converts the document first. */
  readonly libreOffice: LibreOffice | undefined;
}

const MIB = 1_048_576;
const CHILD = 'src/workspace/convert/child/convert-child.ts';
/** What the child reads of the service: its own source and the libraries. */
const READ = ['src', 'node_modules', 'package.json'];
/** Its configuration, and the fonts with which it lays out pages. */
const ETC_OF_OFFICE = ['/etc/libreoffice', '/etc/fonts'];
const OPEN_FILES = 256;
const THREADS = 4;
const TMP_BYTES = 512 * MIB;
const SHARED_BYTES = 64 * MIB;
/** Address space that V8 reserves and does not use. */
const RESERVED_MB = 512;
/** The share of memory for the heap. The rest is for buffers and for libraries outside the heap. */
const HEAP_SHARE = 0.6;
/** All that it starts and writes stays in its box. */
const FOR_LIBRE_OFFICE = ['--allow-child-process', '--allow-fs-read=/tmp', '--allow-fs-write=/tmp'];
const BOXED = { root: '/app', node: '/opt/node' } as const;

/**
 * Runs on this machine without a box: it reads only the files of the program, starts no processes, writes
 * nothing, and loads no native code, which none of that would restrict.
 */
export function plainCommand(task: ConversionTask, options: ConversionOptions): ConversionCommand {
  const root = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');
  const order = { ...task, pdfReader: 'script' } as const;
  return limited(nodeCommand({ root, node: process.execPath }, order, options), options);
}

/**
 * Runs in a box, which also keeps out the network, other processes and other files. LibreOffice is available
 * for an old format.
 */
export async function boxedCommand(
  task: ConversionTask,
  { box, libreOffice, ...options }: BoxedConversion,
): Promise<ConversionCommand> {
  const office = libreOffice === undefined ? {} : { libreOffice: libreOffice.program };
  const order = { ...task, ...office, pdfReader: 'native' } as const;
  return inBox(limited(nodeCommand(BOXED, order, options), options), boxOf(libreOffice, options), box);
}

function nodeCommand(
  { root, node }: { readonly root: string; readonly node: string },
  order: ConversionOrder,
  { memory_mb }: ConversionOptions,
): readonly [string, ...string[]] {
  return [
    node,
    `--max-old-space-size=${Math.floor(memory_mb * HEAP_SHARE)}`,
    '--permission',
    ...READ.map((name) => `--allow-fs-read=${root}/${name}`),
    // Only the native reader of PDFs is an addon; nothing else is loaded as one.
    ...(order.extension === '.pdf' && order.pdfReader === 'native' ? ['--allow-addons'] : []),
    ...(order.libreOffice === undefined ? [] : FOR_LIBRE_OFFICE),
    '--no-warnings',
    `${root}/${CHILD}`,
    JSON.stringify(order),
  ];
}

function limited(
  command: readonly [string, ...string[]],
  { memory_mb, timeout_seconds }: ConversionOptions,
): Command {
  const limits = {
    openFiles: OPEN_FILES,
    // Of all its threads together. The limit on elapsed time ends it earlier.
    cpuSeconds: timeout_seconds * THREADS,
    dataBytes: (memory_mb + RESERVED_MB) * MIB,
  };
  return limitedCommand('sh', limits, command);
}

function boxOf(libreOffice: LibreOffice | undefined, { memory_mb }: ConversionOptions): Box {
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  return {
    hostname: 'conversion',
    // Dates of workbooks have no time zone.
    env: { PATH: '/usr/bin:/bin', HOME: '/tmp', LANG: 'C.UTF-8', TZ: 'UTC' },
    binds: [
      { access: 'read', outside: process.execPath, inside: BOXED.node },
      ...READ.map((name) => ({
        access: 'read' as const,
        outside: `${root}${name}`,
        inside: `${BOXED.root}/${name}`,
      })),
    ],
    system: [
      '/etc/ld.so.cache',
      ...(libreOffice === undefined ? [] : [libreOffice.folder, ...ETC_OF_OFFICE]),
    ],
    files: [],
    network: { kind: 'none' },
    tmpBytes: Math.min(TMP_BYTES, memory_mb * MIB),
    sharedBytes: SHARED_BYTES,
    folder: '/tmp',
  };
}

export interface LibreOffice {
  readonly program: string;
  /** The folder that it needs besides the system's folders. */
  readonly folder: string;
}

const NAMES = ['soffice', 'libreoffice'];

/** Returns the first one on `path`, with links resolved; `undefined` when there is none. Never rejects. */
export async function findLibreOffice(path: string): Promise<LibreOffice | undefined> {
  for (const folder of path.split(delimiter)) {
    for (const name of NAMES) {
      const program = await executable(join(folder, name));
      if (program !== undefined) return { program, folder: dirname(dirname(program)) };
    }
  }
  return undefined;
}

async function executable(path: string): Promise<string | undefined> {
  try {
    await access(path, constants.X_OK);
    return await realpath(path);
  } catch {
    return undefined;
  }
}
