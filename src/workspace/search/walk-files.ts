// Walks everything below a folder, sorted by name, with the open folder around each entry. Follows no link.
import { readdirSync } from 'node:fs';
import { insideChildSync, type OpenFolder } from '../sync-files.ts';
import { isFileSystemError } from '../workspace-failure.ts';

export interface WalkedEntry {
  readonly kind: 'file' | 'folder';
  readonly name: string;
  /** Relative to the folder where the walk began, with `/`. */
  readonly below: string;
  /** Open while the visitor is called. */
  readonly folder: OpenFolder;
}

/** Called for every entry; `false` ends the walk. */
export type Visit = (entry: WalkedEntry) => boolean;

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
export function walkFiles(folder: OpenFolder, walk: Walk, names: readonly string[] = []): boolean {
  for (const { name, kind } of entriesOf(folder)) {
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

function entriesOf(folder: OpenFolder) {
  const found: { readonly name: string; readonly kind: 'file' | 'folder' }[] = [];
  for (const entry of readdirSync(folder.self, { withFileTypes: true })) {
    if (entry.isFile()) found.push({ name: entry.name, kind: 'file' });
    else if (entry.isDirectory()) found.push({ name: entry.name, kind: 'folder' });
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}
