// How the process that converts is started: Node with few permissions, limited by the system, in a box where there are boxes.
import { fileURLToPath } from 'node:url';
import { systemArguments } from '../sandbox/system-arguments.ts';
import type { ConversionOptions } from './conversion-options.ts';
import type { ConversionOrder } from './conversion-order.ts';
import type { LibreOffice } from './libre-office.ts';

export interface ConversionCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** What it reads from descriptor 3 and on. */
  readonly inputs: readonly string[];
}

const MIB = 1_048_576;
const CHILD = 'src/workspace/convert/child/convert-child.ts';
/** What the child reads of the service: its own text and the libraries. */
const READ = ['src', 'node_modules', 'package.json'];
/** Its configuration, and the fonts by which it lays pages out. */
const ETC_OF_OFFICE = ['/etc/libreoffice', '/etc/fonts'];
const OPEN_FILES = 256;
const THREADS = 4;
const TMP_BYTES = 512 * MIB;
/** Address space that V8 sets aside and does not use. */
const RESERVED_MB = 512;
/** Of the memory of the process; the rest is for buffers and for what libraries take outside of the heap. */
const HEAP_SHARE = 0.6;
/** Whatever it starts and writes stays in its box. */
const FOR_LIBRE_OFFICE = ['--allow-child-process', '--allow-fs-read=/tmp', '--allow-fs-write=/tmp'];
const BOXED = { root: '/app', node: '/opt/node' } as const;

/** On this machine, without a box: no files but those of the program, no other processes, nothing is written. */
export function plainCommand(order: ConversionOrder, options: ConversionOptions): ConversionCommand {
  const root = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');
  return { ...limited(nodeCommand({ root, node: process.execPath }, order, options), options), inputs: [] };
}

/** In a box: besides, no network, no other processes, and nobody else's files. LibreOffice is there for an old format. */
export async function boxedCommand(
  order: ConversionOrder,
  options: ConversionOptions,
  libreOffice: LibreOffice | undefined,
): Promise<ConversionCommand> {
  const { program, args } = limited(nodeCommand(BOXED, order, options), options);
  const box = await boxArguments(order.libreOffice === undefined ? undefined : libreOffice);
  return {
    program: 'bwrap',
    args: ['--args', '3', '--', program, ...args],
    inputs: [box.map((arg) => `${arg}\0`).join('')],
  };
}

function nodeCommand(
  { root, node }: { readonly root: string; readonly node: string },
  order: ConversionOrder,
  { memory_mb }: ConversionOptions,
): readonly string[] {
  return [
    node,
    `--max-old-space-size=${Math.floor(memory_mb * HEAP_SHARE)}`,
    '--permission',
    ...READ.map((name) => `--allow-fs-read=${root}/${name}`),
    // The reader of PDFs is one; nothing else is loaded as one.
    ...(order.extension === '.pdf' ? ['--allow-addons'] : []),
    ...(order.libreOffice === undefined ? [] : FOR_LIBRE_OFFICE),
    '--no-warnings',
    `${root}/${CHILD}`,
    JSON.stringify(order),
  ];
}

function limited(
  command: readonly string[],
  { memory_mb, timeout_seconds }: ConversionOptions,
): Pick<ConversionCommand, 'program' | 'args'> {
  const limits = [
    'ulimit -c 0',
    `ulimit -n ${OPEN_FILES}`,
    // Of all its threads together: the clock of the wall ends it before.
    `ulimit -t ${timeout_seconds * THREADS}`,
    `ulimit -d ${(memory_mb + RESERVED_MB) * 1_024}`,
  ].join('; ');
  return { program: '/bin/sh', args: ['-c', `${limits}; exec "$@"`, 'sh', ...command] };
}

async function boxArguments(libreOffice: LibreOffice | undefined): Promise<readonly string[]> {
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  return [
    ...['--unshare-user', '--unshare-all', '--disable-userns', '--uid', '1000', '--gid', '1000'],
    ...['--cap-drop', 'ALL', '--hostname', 'conversion', '--die-with-parent', '--new-session', '--clearenv'],
    ...['--setenv', 'PATH', '/usr/bin:/bin', '--setenv', 'HOME', '/tmp', '--setenv', 'LANG', 'C.UTF-8'],
    // Dates of workbooks have no place.
    ...['--setenv', 'TZ', 'UTC'],
    ...(await systemArguments()),
    ...[
      '/etc/ld.so.cache',
      ...(libreOffice === undefined ? [] : [libreOffice.folder, ...ETC_OF_OFFICE]),
    ].flatMap((path) => ['--ro-bind-try', path, path]),
    ...['--proc', '/proc', '--dev', '/dev', '--size', String(TMP_BYTES), '--tmpfs', '/tmp'],
    ...['--ro-bind', process.execPath, BOXED.node],
    ...READ.flatMap((name) => ['--ro-bind', `${root}${name}`, `${BOXED.root}/${name}`]),
    ...['--remount-ro', '/', '--chdir', '/tmp'],
  ];
}
