// A disk as the system calls of a process leave it, and its contents after a power cut.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Random } from '../simulation/random.ts';
import type { SystemCall } from './system-calls.ts';

/** How much of the unflushed data reaches the disk nevertheless. */
export type Luck = 'nothing' | 'all' | 'some';

const BLOCK = 4_096;

type Change = (file: Content) => void;

/** Bytes that grow in place. */
class Content {
  #bytes = Buffer.alloc(0);
  #size = 0;

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#size);
  }

  copy(): Content {
    const copy = new Content();
    copy.write(this.bytes, 0);
    return copy;
  }

  write(piece: Buffer, at: number): void {
    this.resize(Math.max(this.#size, at + piece.length));
    piece.copy(this.#bytes, at);
  }

  resize(size: number): void {
    if (size > this.#bytes.length) {
      const larger = Buffer.alloc(size * 2);
      this.bytes.copy(larger);
      this.#bytes = larger;
    }
    if (size < this.#size) this.#bytes.fill(0, size);
    this.#size = size;
  }
}

/** The file or folder behind a name; a folder has no bytes. */
interface Inode {
  readonly isFolder: boolean;
  /** The contents on the disk. */
  readonly content: Content;
  /** The size as the process sees it. */
  size: number;
  pending: Change[];
}

interface NameChange {
  readonly folder: string;
  apply(names: Map<string, Inode>): void;
}

/** Follows the changes below `root`, which must be an empty folder at first. */
export class RecordedDisk {
  readonly #root: string;
  readonly #live = new Map<string, Inode>();
  readonly #onDisk = new Map<string, Inode>();
  #pending: NameChange[] = [];
  readonly #flushes = new Map<number, () => void>();

  constructor(root: string) {
    this.#root = root;
  }

  follow(call: SystemCall): void {
    switch (call.kind) {
      case 'create':
      case 'folder':
        if (this.#isHere(call.path) && !this.#live.has(call.path))
          this.#make(call.path, call.kind === 'folder');
        return;
      case 'write':
        this.#write(call);
        return;
      case 'truncate':
        this.#truncate(call.path, call.size);
        return;
      case 'rename':
      case 'link':
        this.#move(call);
        return;
      case 'unlink':
        this.#rename(call.path, (names) => names.delete(call.path));
        return;
      case 'flush began':
        this.#beginFlush(call.path, call.call);
        return;
      case 'flushed':
        this.#flushes.get(call.call)?.();
        return;
      case 'send':
        return;
      default:
        call satisfies never;
    }
  }

  /** Writes the contents after a power cut at this moment into `folder`, in place of the root. */
  async leave(folder: string, luck: Luck, random: Random): Promise<void> {
    const names = new Map(this.#onDisk);
    const many = luck === 'some' ? random.below(this.#pending.length + 1) : this.#pending.length;
    if (luck !== 'nothing') for (const change of this.#pending.slice(0, many)) change.apply(names);
    const isReached = (path: string): boolean =>
      dirname(path) === this.#root || (names.has(dirname(path)) && isReached(dirname(path)));
    await mkdir(folder, { recursive: true });
    for (const [path, inode] of names) {
      // SQLite recreates it.
      if (!isReached(path) || path.endsWith('-shm')) continue;
      const place = join(folder, path.slice(this.#root.length));
      if (inode.isFolder) await mkdir(place, { recursive: true });
      else {
        await mkdir(dirname(place), { recursive: true });
        await writeFile(place, bytesOf(inode, luck, random));
      }
    }
  }

  #isHere(path: string): boolean {
    return path.startsWith(`${this.#root}/`);
  }

  #make(path: string, isFolder: boolean): void {
    const inode: Inode = { isFolder, content: new Content(), size: 0, pending: [] };
    this.#rename(path, (names) => names.set(path, inode));
  }

  #rename(path: string, apply: NameChange['apply']): void {
    if (!this.#isHere(path)) return;
    apply(this.#live);
    this.#pending.push({ folder: dirname(path), apply });
  }

  #move({
    kind,
    from,
    to,
  }: {
    readonly kind: 'rename' | 'link';
    readonly from: string;
    readonly to: string;
  }): void {
    const inode = this.#live.get(from);
    if (inode === undefined) return;
    this.#rename(to, (names) => {
      names.set(to, inode);
      if (kind === 'rename') names.delete(from);
    });
  }

  #write({ path, bytes, at }: Extract<SystemCall, { kind: 'write' }>): void {
    const inode = this.#live.get(path);
    if (inode === undefined) return;
    const start = at === 'end' ? inode.size : at;
    inode.size = Math.max(inode.size, start + bytes.length);
    // The disk writes blocks, whatever the size of a write.
    for (let from = 0; from < bytes.length; ) {
      const length = Math.min(BLOCK - ((start + from) % BLOCK), bytes.length - from);
      const piece = bytes.subarray(from, from + length);
      const place = start + from;
      inode.pending.push((file) => file.write(piece, place));
      from += length;
    }
  }

  #truncate(path: string, size: number): void {
    const inode = this.#live.get(path);
    if (inode === undefined) return;
    inode.size = size;
    inode.pending.push((file) => file.resize(size));
  }

  #beginFlush(path: string, call: number): void {
    const inode = this.#live.get(path);
    const changes = new Set(inode?.pending);
    const named = this.#pending.filter(({ folder }) => folder === path);
    this.#flushes.set(call, () => {
      if (inode !== undefined) {
        for (const change of inode.pending) if (changes.has(change)) change(inode.content);
        inode.pending = inode.pending.filter((change) => !changes.has(change));
      }
      for (const change of named) change.apply(this.#onDisk);
      this.#pending = this.#pending.filter((change) => !named.includes(change));
    });
  }
}

function bytesOf({ content, pending }: Inode, luck: Luck, random: Random): Buffer {
  if (luck === 'nothing') return content.bytes;
  const left = content.copy();
  for (const change of pending) if (luck === 'all' || random.chance(0.5)) change(left);
  return left.bytes;
}
