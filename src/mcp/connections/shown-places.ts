// What a boxed tool server sees of this machine: its program, and what its arguments name.
import { realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import type { Box } from '../../processes/box.ts';

type Bind = Box['binds'][number];

interface PlacesWanted {
  /** An absolute path. */
  readonly program: string;
  readonly args: readonly string[];
  /** Files and folders of the service. Nothing that is one of them, lies in one or contains one is shown. */
  readonly hidden: readonly string[];
}

/** What every box shows anyway. */
const SHOWN = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/lib32'];
const NEVER = ['/proc', '/sys', '/dev', '/run', '/etc', '/boot'];
/** Folders of many, or of a person. What lies in them is not part of a program beside it. */
const FOR_MANY = ['/root', '/home', '/tmp', '/var', '/opt', '/srv', '/mnt', '/media'];

/**
 * Returns the places to bind, each at its path outside, outer ones first. The program comes with the folders
 * beside it. A folder in the arguments can be read and written, a file only read, with the package around it.
 * What must not be shown is left out, however its path is written.
 */
export async function shownPlaces({ program, args, hidden }: PlacesWanted): Promise<readonly Bind[]> {
  const own = (await Promise.all(hidden.map((path) => bothPaths(path)))).flat();
  const given = await Promise.all(args.filter((it) => isAbsolute(it)).map((it) => placesFor(resolve(it))));
  const firstOf = async (candidates: readonly Place[]): Promise<readonly Bind[]> => {
    const judged = await Promise.all(candidates.map((place) => allowed(place, own)));
    return judged.flatMap((it) => it ?? []).slice(0, 1);
  };
  const ofProgram = placesOfProgram(resolve(program)).map((place) => firstOf([place]));
  const binds = await Promise.all([...ofProgram, ...given.map(firstOf)]);
  // A later mount covers an earlier one.
  return binds.flat().toSorted((one, other) => one.inside.length - other.inside.length);
}

interface Place {
  readonly access: 'read' | 'write';
  /** Without `..`, `.` and doubled slashes. */
  readonly path: string;
}

/** Returns the program with what lies beside it, such as the rest of Node. */
function placesOfProgram(program: string): readonly Place[] {
  const folder = dirname(program);
  const paths = [
    isForMany(folder) ? program : folder,
    ...(basename(folder) === 'bin' ? [join(dirname(folder), 'lib')] : []),
    dirname(process.execPath),
  ];
  return paths.map((path) => ({ access: 'read', path }));
}

async function placesFor(path: string): Promise<readonly Place[]> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory() === true) return [{ access: 'write', path }];
  if (found?.isFile() !== true) return [];
  const folder = await packageFolder(path);
  const paths = folder === undefined ? [path] : [folder, path];
  return paths.map((it) => ({ access: 'read', path: it }));
}

/** Returns the folder with all packages, or the nearest one that declares a package. */
async function packageFolder(file: string): Promise<string | undefined> {
  const names = file.split(sep);
  const modules = names.indexOf('node_modules');
  if (modules !== -1) return names.slice(0, modules + 1).join(sep);
  for (let at = dirname(file); !isForMany(at); at = dirname(at)) {
    for (const name of ['package.json', 'pyproject.toml']) {
      if ((await stat(join(at, name)).catch(() => undefined)) !== undefined) return at;
    }
  }
  return undefined;
}

/** Checks what is bound: the path as written must be harmless inside, the real one outside. */
async function allowed({ access, path }: Place, own: readonly string[]): Promise<Bind | undefined> {
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined || isBelow(path, SHOWN)) return undefined;
  if (access === 'write' && isBelow(real, SHOWN)) return undefined;
  const isRefused = [path, real].some(
    (it) => isBelow(it, [...NEVER, ...own]) || [...NEVER, ...own].some((hidden) => isBelow(hidden, [it])),
  );
  return isRefused ? undefined : { access, outside: real, inside: path };
}

/** Returns the path as written and the real one, because either may be named. */
async function bothPaths(path: string): Promise<readonly string[]> {
  const written = resolve(path);
  return [written, await realpath(written).catch(() => written)];
}

function isForMany(folder: string): boolean {
  return (
    folder === dirname(folder) || [...FOR_MANY, homedir()].includes(folder) || dirname(folder) === '/home'
  );
}

function isBelow(path: string, folders: readonly string[]): boolean {
  return folders.some(
    (folder) => path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`),
  );
}
