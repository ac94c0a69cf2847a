// The calls by which a process writes, flushes, names and sends, in order, as recorded by `strace`.

/** Strings are raw bytes (latin1); paths of files and folders are absolute. */
export type SystemCall =
  | { readonly kind: 'create' | 'folder'; readonly path: string }
  | { readonly kind: 'write'; readonly path: string; readonly bytes: Buffer; readonly at: number | 'end' }
  | { readonly kind: 'truncate'; readonly path: string; readonly size: number }
  | { readonly kind: 'rename' | 'link'; readonly from: string; readonly to: string }
  | { readonly kind: 'unlink'; readonly path: string }
  /** A flush covers the writes before it began. */
  | { readonly kind: 'flush began' | 'flushed'; readonly path: string; readonly call: number }
  | { readonly kind: 'send'; readonly bytes: Buffer };

const TRACED = [
  ...[
    'openat',
    'mkdir',
    'write',
    'writev',
    'pwrite64',
    'pwritev',
    'ftruncate',
    'fsync',
    'fdatasync',
    'rename',
  ],
  ...['renameat', 'renameat2', 'link', 'linkat', 'unlink', 'unlinkat', 'sendto', 'sendmsg'],
];

/** Starts a program in its own process and records its calls in `output`. */
export function recordedBy(output: string): readonly string[] {
  return ['strace', '-D', '-f', '-y', '-xx', '-s', '1000000', '-e', `trace=${TRACED.join()}`, '-o', output];
}

const RESUMED = /^<\.\.\. \w+ resumed>/;
const UNFINISHED = ' <unfinished ...>';

/** Reads the output of `recordedBy`. Failed calls are omitted. */
export function readSystemCalls(text: string): readonly SystemCall[] {
  const calls: SystemCall[] = [];
  const begun = new Map<string, Begun>();
  const paths = new Map<string, string>();
  let flushes = 0;
  for (const line of text.split('\n')) {
    const space = line.indexOf(' ');
    const thread = line.slice(0, space);
    const rest = line.slice(space).trimStart();
    const { whole, flush, isNew } = joined(
      rest,
      RESUMED.test(rest) ? begun.get(thread) : undefined,
      () => ++flushes,
    );
    if (isNew && isFlush(whole)) calls.push({ kind: 'flush began', path: pathOfFd(whole), call: flush });
    if (whole.endsWith(UNFINISHED)) begun.set(thread, { text: whole.slice(0, -UNFINISHED.length), flush });
    else calls.push(...(toCall(whole, { paths, flush }) ?? []));
  }
  return calls;
}

interface Begun {
  readonly text: string;
  readonly flush: number;
}

/** A call that overlaps others is recorded in two lines. */
function joined(rest: string, earlier: Begun | undefined, next: () => number) {
  if (earlier === undefined) return { whole: rest, flush: next(), isNew: true };
  return { whole: `${earlier.text}${rest.replace(RESUMED, '')}`, flush: earlier.flush, isNew: false };
}

function isFlush(text: string): boolean {
  return text.startsWith('fsync(') || text.startsWith('fdatasync(');
}

function unescaped(text: string): string {
  return text.replaceAll(/\\x([0-9a-f]{2})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}

/** Returns the path of the first descriptor in the call. */
function pathOfFd(text: string): string {
  return unescaped(/<([^>]*)>/.exec(text)?.[1] ?? '');
}

interface Known {
  /** The paths of descriptors, by their numbers. */
  readonly paths: Map<string, string>;
  readonly flush: number;
}

function toCall(text: string, { paths, flush }: Known): readonly SystemCall[] | undefined {
  const [, name = '', result = ''] = /^(\w+)\(.* = (-?\d+)[^=]*$/s.exec(text) ?? [];
  if (name === '' || result.startsWith('-')) return undefined;
  const strings = [...text.matchAll(/"([^"]*)"/g)].map(([, escaped = '']) => unescaped(escaped));
  const placed = strings.map((it) =>
    it.replace(/^\/proc\/self\/fd\/(\d+)/, (_, fd: string) => paths.get(fd) ?? fd),
  );
  const [one = '', two = ''] = placed;
  const bytes = () => Buffer.from(strings.join(''), 'latin1').subarray(0, Number(result));
  switch (name) {
    case 'openat':
      return opened(text, { result, paths });
    case 'mkdir':
      return [{ kind: 'folder', path: one }];
    case 'write':
    case 'writev':
    case 'sendto':
    case 'sendmsg': {
      const path = pathOfFd(text);
      if (path.startsWith('socket:')) return [{ kind: 'send', bytes: bytes() }];
      return path.startsWith('/') ? [{ kind: 'write', path, bytes: bytes(), at: 'end' }] : undefined;
    }
    case 'pwrite64':
    case 'pwritev': {
      const at = Number(/, (\d+)\)\s+= /.exec(text)?.[1]);
      return [{ kind: 'write', path: pathOfFd(text), bytes: bytes(), at }];
    }
    case 'ftruncate':
      return [{ kind: 'truncate', path: pathOfFd(text), size: Number(/, (\d+)\)\s+= /.exec(text)?.[1]) }];
    case 'fsync':
    case 'fdatasync':
      return [{ kind: 'flushed', path: pathOfFd(text), call: flush }];
    case 'rename':
    case 'renameat':
    case 'renameat2':
      return [{ kind: 'rename', from: one, to: two }];
    case 'link':
    case 'linkat':
      return [{ kind: 'link', from: one, to: two }];
    default:
      return [{ kind: 'unlink', path: one }];
  }
}

function opened(
  text: string,
  { result, paths }: { readonly result: string; readonly paths: Map<string, string> },
): readonly SystemCall[] {
  const path = unescaped(/ = \d+<([^>]*)>$/.exec(text)?.[1] ?? '');
  paths.set(result, path);
  return [
    ...(text.includes('O_CREAT') ? [{ kind: 'create', path } as const] : []),
    ...(text.includes('O_TRUNC') ? [{ kind: 'truncate', path, size: 0 } as const] : []),
  ];
}
