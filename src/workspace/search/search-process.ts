// The process that runs one search of a thread's files. A search that takes too long ends with it.
import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { ServiceError } from '../../errors.ts';
import {
  type Folder,
  type FolderEntry,
  filesAndFolders,
  insideDataHome,
  insideRealFolder,
} from '../folder.ts';
import { parseVirtualPath, userDataNames } from '../paths.ts';
import { usePlainFile } from '../plain-file.ts';
import { insideChildSync, type OpenFolder, readSmallFile } from '../sync-files.ts';
import { describingFailures, isFileSystemError } from '../workspace-failure.ts';
import type { GlobOrder, GrepOrder, LineMatch, SearchOrder, SearchReport } from './search-order.ts';

const MAX_FILE_BYTES = 1_048_576;
/** Names that a search for text skips: output of tools, and files that are not worth reading. */
const IGNORED_NAMES: ReadonlySet<string> = new Set([
  '.git',
  '.hg',
  '.svn',
  'node_modules',
  'bower_components',
  '.pnpm-store',
  '.yarn',
  'dist',
  'build',
  'target',
  '.next',
  '.nuxt',
  '.turbo',
  '.cache',
  '.parcel-cache',
  'coverage',
  '__pycache__',
  '.pytest_cache',
  '.mypy_cache',
  '.ruff_cache',
  '.tox',
  '.venv',
  'venv',
  '.gradle',
  '.idea',
  '.vscode',
  '.terraform',
  '.DS_Store',
  '.env',
  'package-lock.json',
  'yarn.lock',
  'pnpm-lock.yaml',
]);

async function respond(order: SearchOrder): Promise<SearchReport> {
  try {
    return await (order.kind === 'glob' ? glob(order) : grep(order));
  } catch (error) {
    if (error instanceof ServiceError) return { kind: 'refused', message: error.detail };
    throw error;
  }
}

async function glob(order: GlobOrder): Promise<SearchReport> {
  const paths: string[] = [];
  const complete = await walk(order, new Set(), ({ kind, name, below }, path) => {
    if (kind === 'folder' && !order.includeFolders) return true;
    if (!isMatch(order.pattern, below, name)) return true;
    if (paths.length >= order.maxResults) return false;
    paths.push(`${path}${kind === 'folder' ? '/' : ''}`);
    return true;
  });
  return { kind: 'paths', paths, complete };
}

async function grep(order: GrepOrder): Promise<SearchReport> {
  const lines: LineMatch[] = [];
  const expression = new RegExp(order.expression, order.isCaseSensitive ? 'u' : 'iu');
  const anywhere = wholeTextExpression(order);
  const search: VisitPath = (entry, path) => {
    if (entry.kind === 'folder') return true;
    if (order.glob !== null && !isMatch(order.glob, entry.below, entry.name)) return true;
    const text = textOf(entry);
    if (text === undefined || anywhere?.test(text) === false) return true;
    const remaining = order.maxResults - lines.length;
    const found = matchingLines(text, expression, remaining + 1);
    for (const match of found.slice(0, remaining)) lines.push({ path, ...match });
    return found.length <= remaining;
  };
  const complete = await walk(order, IGNORED_NAMES, search);
  return { kind: 'lines', lines, complete };
}

/** No groups, classes, repetitions or lookarounds, so it stays within a line and never backtracks. */
const PLAIN = /^(?:[^\\()[\]{}*+?|]|\\[wdb.*+?()[\]{}|\\/$^-])*$/u;

/** Returns one for a whole text, if plain. It is tried first, because most files have no matching line. */
function wholeTextExpression({ expression, isCaseSensitive }: GrepOrder): RegExp | undefined {
  return PLAIN.test(expression) ? new RegExp(expression, isCaseSensitive ? 'um' : 'ium') : undefined;
}

/** A pattern without a folder in it matches names, wherever they are. */
function isMatch(pattern: string, below: string, name: string): boolean {
  return posix.matchesGlob(below, pattern) || (!pattern.includes('/') && posix.matchesGlob(name, pattern));
}

/** Returns `undefined` for a file that is not text, is very large, or may not be read. */
function textOf({ folder, name }: WalkedEntry): string | undefined {
  try {
    const bytes = readSmallFile(folder, name, MAX_FILE_BYTES)?.bytes;
    return bytes === undefined || bytes.includes(0) ? undefined : bytes.toString('utf8');
  } catch (error) {
    if (isFileSystemError(error)) return undefined;
    throw error;
  }
}

/** Called for an entry with its virtual path; `false` ends the walk. */
type VisitPath = (entry: WalkedEntry, path: string) => boolean;

/** Where a walk begins: a file or a folder, and how to open it. */
interface Start {
  readonly names: readonly string[];
  /** Its visible path. */
  readonly virtual: string;
  /** Leads from the requested path, which is this one or lies above it, to this one. */
  readonly prefix: string;
  readonly mayBeFile: boolean;
  /** True when something that cannot be opened for this reason counts as empty. */
  readonly passesOver: (error: unknown) => boolean;
  readonly inside: <Result>(
    names: readonly string[],
    use: (folder: Folder) => Promise<Result>,
  ) => Promise<Result>;
}

/** Returns `false` when a visitor ended the walk. */
async function walk(order: SearchOrder, ignored: ReadonlySet<string>, visit: VisitPath): Promise<boolean> {
  for (const start of startsOf(order)) {
    if (!(await walkFrom(start, ignored, visit))) return false;
  }
  return true;
}

/** Areas that were never written to are empty, and so are unreadable folders among several. */
function startsOf({ dataHome, place, path, readOnly }: SearchOrder): readonly Start[] {
  if (readOnly === null) {
    const { text, names } = parseVirtualPath(path);
    const inside: Start['inside'] = (below, use) =>
      insideDataHome(dataHome, { names: [...userDataNames(place), ...below], create: false }, use);
    const passesOver = (error: unknown) => names.length < 2 && isFileSystemError(error, 'ENOENT');
    return [{ names, virtual: text, prefix: '', mayBeFile: names.length > 1, passesOver, inside }];
  }
  const asked = path.endsWith('/') ? path : `${path}/`;
  return readOnly.map(({ real, names, virtual }) => {
    const isOneOfSeveral = virtual.startsWith(asked);
    return {
      names,
      virtual,
      prefix: isOneOfSeveral ? `${virtual.slice(asked.length)}/` : '',
      mayBeFile: names.length > 0,
      passesOver: (error) => isOneOfSeveral && isFileSystemError(error),
      inside: (below, use) => insideRealFolder(real, below, use),
    };
  });
}

/** Throws for a folder that does not exist. A file is searched alone. */
async function walkFrom(start: Start, ignored: ReadonlySet<string>, visit: VisitPath): Promise<boolean> {
  const { names, virtual, prefix, mayBeFile, passesOver, inside } = start;
  const visitBelow: Visit = (entry) =>
    visit({ ...entry, below: `${prefix}${entry.below}` }, `${virtual}/${entry.below}`);
  const begin = async (folder: Folder) => walkFiles(folder, { visit: visitBelow, ignored });
  const visitOne = async (folder: Folder) => {
    const name = names.at(-1) ?? '';
    // Throws instead of skipping the file, because the caller asked for it.
    await usePlainFile({ folder, name, shownAs: virtual }, async () => {});
    return visit({ kind: 'file', name, below: name, folder }, virtual);
  };
  return describingFailures(virtual, async () => {
    try {
      return await inside(names, begin);
    } catch (error) {
      if (passesOver(error)) return true;
      if (!mayBeFile || !isFileSystemError(error, 'ENOTDIR')) throw error;
      return inside(names.slice(0, -1), visitOne);
    }
  });
}

interface WalkedEntry extends FolderEntry {
  /** Relative to the folder where the walk began, with `/`. */
  readonly below: string;
  /** Open while the visitor is called. */
  readonly folder: OpenFolder;
}

/** Called for every entry; `false` ends the walk. */
type Visit = (entry: WalkedEntry) => boolean;

interface Walk {
  readonly visit: Visit;
  /** Names that are neither visited nor entered. */
  readonly ignored: ReadonlySet<string>;
}

const MAX_LEVELS = 64;

/**
 * Returns `false` when a visitor ended the walk. Skips folders that disappeared or may not be read. Blocks
 * its thread, which must serve nothing else.
 */
function walkFiles(folder: OpenFolder, walk: Walk, names: readonly string[] = []): boolean {
  for (const { name, kind } of filesAndFolders(readdirSync(folder.self, { withFileTypes: true }))) {
    if (walk.ignored.has(name)) continue;
    const inside = [...names, name];
    if (!walk.visit({ kind, name, below: inside.join('/'), folder })) return false;
    if (kind === 'file' || inside.length > MAX_LEVELS) continue;
    if (!enter(folder, name, (inner) => walkFiles(inner, walk, inside))) return false;
  }
  return true;
}

function enter(folder: OpenFolder, name: string, use: (inner: OpenFolder) => boolean): boolean {
  try {
    return insideChildSync(folder, name, use);
  } catch (error) {
    if (!isFileSystemError(error)) throw error;
    return true;
  }
}

interface MatchingLine {
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

const MAX_LINE_CHARACTERS = 200;

/** Returns up to `limit` lines, shortened for reading. The expression sees one line at a time. */
function matchingLines(text: string, expression: RegExp, limit: number): readonly MatchingLine[] {
  const found: MatchingLine[] = [];
  let line = 0;
  for (let from = 0; from <= text.length && found.length < limit; ) {
    const newline = text.indexOf('\n', from);
    const end = newline === -1 ? text.length : newline;
    line++;
    const content = text.slice(from, text[end - 1] === '\r' ? end - 1 : end);
    if ((from < text.length || line === 1) && expression.test(content))
      found.push({ line, text: shortened(content) });
    from = end + 1;
  }
  return found;
}

function shortened(line: string): string {
  return line.length > MAX_LINE_CHARACTERS ? `${line.slice(0, MAX_LINE_CHARACTERS)}...` : line;
}

// Not validated: the service itself sends it, and a validator takes longer to load than most searches.
const order: SearchOrder = JSON.parse(readFileSync(3, 'utf8'));
process.stdout.write(JSON.stringify(await respond(order)));
