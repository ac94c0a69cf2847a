// The files of a thread as its owner downloads them: opened for reading, and listed.
import { hash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { notFound, ServiceError } from '../../errors.ts';
import { insideDataHome, openChildFile } from '../folder.ts';
import { parseFilePath, userDataNames, VIRTUAL_ROOT, type WorkspacePlace } from '../paths.ts';
import { scanFiles } from '../scan-files.ts';
import { isFileSystemError } from '../workspace-failure.ts';
import { type ArtifactType, artifactType, HEAD_BYTES } from './artifact-type.ts';
import { readSkillMember } from './skill-package.ts';

/** A range of bytes, both ends included. */
export interface ByteSpan {
  readonly first: number;
  readonly last: number;
}

/** An open file. The caller calls `read` or `close` once. */
export interface OpenArtifact {
  readonly name: string;
  readonly type: ArtifactType;
  readonly size: number;
  /** Differs after every change. */
  readonly version: string;
  /** Epoch milliseconds. */
  readonly modifiedAt: number;
  /** Streams the bytes at the reader's pace. Destroying the stream closes the file. */
  read(span: ByteSpan): Readable;
  close(): Promise<void>;
}

interface ListedArtifact {
  /** `/mnt/user-data/...` */
  readonly path: string;
  readonly size: number;
  readonly modifiedAt: number;
}

interface ArtifactList {
  /** Sorted by path. */
  readonly files: readonly ListedArtifact[];
  /** False when the thread has more files than the listing may have. */
  readonly complete: boolean;
}

export interface Artifacts {
  /**
   * Opens a regular file of the thread, or a member of a `.skill` package, such as `.../x.skill/SKILL.md`.
   * Throws `invalid` for an invalid path, and `not_found` for anything that is not a regular file of the
   * thread, including links, files with a second name, and devices.
   */
  open(place: WorkspacePlace, path: string): Promise<OpenArtifact>;
  list(place: WorkspacePlace): Promise<ArtifactList>;
}

const MAX_LISTED = 20_000;
const READ_AT_ONCE = 256 * 1024;
const SKILL = /\.skill$/i;

export function createArtifacts({ dataHome }: { readonly dataHome: string }): Artifacts {
  return {
    async open(place, path) {
      const { names } = parseFilePath(path);
      const at = [...userDataNames(place), ...names];
      const package_ = names.findIndex((name, index) => index < names.length - 1 && SKILL.test(name));
      if (package_ !== -1) {
        const member = await openMember(dataHome, {
          names: at.slice(0, at.length - names.length + package_ + 1),
          member: names.slice(package_ + 1).join('/'),
        });
        if (member !== undefined) return member;
      }
      const file = await openPlain(dataHome, at);
      if (file === undefined) throw notFound('Artifact');
      return toArtifact(file);
    },
    async list(place) {
      const { files, complete } = await scanFiles({ dataHome, place, maxFiles: MAX_LISTED });
      return {
        complete,
        files: files.map(({ path, stats }) => ({
          path: `${VIRTUAL_ROOT}/${path}`,
          size: Number(stats.size),
          modifiedAt: Number(stats.mtimeMs),
        })),
      };
    },
  };
}

interface PlainFile {
  readonly name: string;
  readonly handle: FileHandle;
  readonly stats: BigIntStats;
}

/** Returns `undefined` for a path that does not exist, leads through a link, or is not a regular file. */
async function openPlain(dataHome: string, names: readonly string[]): Promise<PlainFile | undefined> {
  const name = names.at(-1) ?? '';
  try {
    return await insideDataHome(dataHome, { names: names.slice(0, -1), create: false }, async (folder) => {
      const { handle } = await openChildFile(folder, name);
      const stats = await handle.stat({ bigint: true });
      if (stats.isFile() && stats.nlink === 1n) return { name, handle, stats };
      await handle.close();
      return undefined;
    });
  } catch (error) {
    if (isFileSystemError(error)) {
      if (ABSENT.has(error.code ?? '')) return undefined;
      throw new ServiceError('unavailable', 'The file could not be read; try again.', { cause: error });
    }
    throw error;
  }
}

const ABSENT: ReadonlySet<string> = new Set([
  'ENOENT',
  'ENOTDIR',
  'ELOOP',
  'ENXIO',
  'EISDIR',
  'EACCES',
  'EPERM',
]);

async function toArtifact({ name, handle, stats }: PlainFile): Promise<OpenArtifact> {
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return {
      name,
      type: artifactType(name, buffer.subarray(0, bytesRead)),
      size: Number(stats.size),
      version: versionOf(stats),
      modifiedAt: Number(stats.mtimeMs),
      read: ({ first, last }) =>
        handle.createReadStream({ start: first, end: last, highWaterMark: READ_AT_ONCE }),
      close: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Every write updates the change time, which no program can set. */
function versionOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  const identity = [dev, ino, size, mtimeNs, ctimeNs].join(':');
  return hash('sha256', identity, 'base64url').slice(0, 27);
}

interface MemberAt {
  /** The path of the package. */
  readonly names: readonly string[];
  readonly member: string;
}

/** Returns `undefined` when the path that is named like a package is not a file. */
async function openMember(dataHome: string, { names, member }: MemberAt): Promise<OpenArtifact | undefined> {
  const file = await openPlain(dataHome, names);
  if (file === undefined) return undefined;
  try {
    const bytes = await readSkillMember(file.handle.fd, member);
    const name = member.split('/').at(-1) ?? '';
    return {
      name,
      type: artifactType(name, bytes.subarray(0, HEAD_BYTES)),
      size: bytes.length,
      version: hash('sha256', bytes, 'base64url').slice(0, 27),
      modifiedAt: Number(file.stats.mtimeMs),
      read: ({ first, last }) => Readable.from([bytes.subarray(first, last + 1)]),
      close: async () => {},
    };
  } finally {
    await file.handle.close();
  }
}
