// Maps the files of a `.skill` package to their paths in the skill's folder, or refuses the whole package.
import { invalid, type ServiceError } from '../../errors.ts';
import { SKILL_FILE } from '../skill-text.ts';

interface Named {
  readonly fileName: string;
}

interface PackagedFile<Entry extends Named = Named> {
  readonly entry: Entry;
  /** Relative to the folder of the skill. */
  readonly names: readonly string[];
}

interface PackageLayout<Entry extends Named> {
  /** The one folder that contains everything; `undefined` when SKILL.md is at the root. */
  readonly folder: string | undefined;
  readonly files: readonly PackagedFile<Entry>[];
}

const MAX_LEVELS = 8;
const MAX_NAME_BYTES = 255;
/** Drives, alternate file streams, other separators, and characters that disguise a name as another. */
const STRANGE = /[\\:*?"<>|\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u;
/** Names of devices, whatever follows the dot. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/**
 * `entries` come from a package that has no links, no duplicate names and no names that lead out of it. Omits
 * names that begin with a dot and files that macOS or Windows adds. Throws `invalid`.
 */
export function packageLayout<Entry extends Named>(entries: readonly Entry[]): PackageLayout<Entry> {
  const all = entries.map((entry) => ({ entry, names: safeNames(entry.fileName) }));
  refuseTwinFolders(all);
  const files = all.filter(({ names }) => !names.some(isLeftOut));
  const folder = files.some(({ names }) => names.length === 1) ? undefined : files[0]?.names[0];
  if (folder !== undefined && files.some(({ names }) => names[0] !== folder))
    throw invalid(
      `A package must have a ${SKILL_FILE} at its root, or one folder with a ${SKILL_FILE} in it.`,
    );
  const inside =
    folder === undefined ? files : files.map(({ entry, names }) => ({ entry, names: names.slice(1) }));
  refuseOtherSkills(inside);
  return { folder, files: inside };
}

function safeNames(fileName: string): readonly string[] {
  const names = fileName.split('/').map((name) => name.normalize('NFC'));
  const isSafe = (name: string) =>
    name !== '' &&
    name !== '.' &&
    name !== '..' &&
    name.isWellFormed() &&
    !STRANGE.test(name) &&
    !DEVICE.test(name) &&
    !/[. ]$/.test(name) &&
    Buffer.byteLength(name) <= MAX_NAME_BYTES;
  if (names.length > MAX_LEVELS || !names.every(isSafe))
    throw unsafe('a name that is not safe on every system');
  return names;
}

/** Refuses a folder and a file with one name, and two folders whose names some systems treat as equal. */
function refuseTwinFolders(all: readonly PackagedFile[]): void {
  const files = new Set(all.map(({ names }) => names.join('/').toLowerCase()));
  const folders = new Map<string, string>();
  for (const { names } of all) {
    for (let length = 1; length < names.length; length += 1) {
      const path = names.slice(0, length).join('/');
      const key = path.toLowerCase();
      if (files.has(key) || (folders.get(key) ?? path) !== path) throw unsafe('two entries with one name');
      folders.set(key, path);
    }
  }
}

function refuseOtherSkills(files: readonly PackagedFile[]): void {
  const named = files.filter(({ names }) => names.at(-1)?.toLowerCase() === SKILL_FILE.toLowerCase());
  if (named.length > 1) throw unsafe(`more than one ${SKILL_FILE}`);
  if (named[0]?.names.join('/') !== SKILL_FILE)
    throw invalid(`The package has no ${SKILL_FILE}, spelled exactly so, at its root or in its one folder.`);
}

function isLeftOut(name: string): boolean {
  return name.startsWith('.') || name === '__MACOSX' || name === 'Thumbs.db';
}

function unsafe(what: string): ServiceError {
  return invalid(`The package contains ${what} and was not installed.`);
}
