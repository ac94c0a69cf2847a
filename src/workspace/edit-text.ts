// Texts that are changed as what they are now: one guarded by its hash, or the places where something stands in it.
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { invalid } from '../errors.ts';
import { requireKnown, writeKnowing } from './known-versions.ts';
import { parseFilePath } from './paths.ts';
import { type FileAt, replacePlainFile, usePlainFile } from './plain-file.ts';
import { atFile, inDrafts, type ThreadAccess } from './thread-access.ts';
import { ifThere } from './workspace-failure.ts';

/** `sha256` of what is there now, `null` when nothing is. */
export interface GuardedWrite {
  readonly isWritten: boolean;
  readonly sha256: string | null;
}

export interface TextReplacement {
  readonly search: string;
  readonly replacement: string;
  readonly occurrences: 'first' | 'all';
}

const { O_RDONLY } = constants;
const MAX_EDITED_BYTES = 8 * 1024 * 1024;

interface TextToPut {
  readonly path: string;
  readonly content: string;
  readonly expected: string | null;
}

/** As `WorkspaceFiles.putText`; not in turn with other writes. */
export function putText(access: ThreadAccess, { path, content, expected }: TextToPut): Promise<GuardedWrite> {
  return atFile(access, { path: parseFilePath(path), create: expected === null }, async (file) => {
    const sha256 = await hashOfText(file);
    if (sha256 !== expected) return { isWritten: false, sha256 };
    await inDrafts(access, (draft) => replacePlainFile(file, content, draft));
    return { isWritten: true, sha256: createHash('sha256').update(content).digest('hex') };
  });
}

async function hashOfText(file: FileAt): Promise<string | null> {
  const hash = usePlainFile(file, O_RDONLY, async ({ handle, stats }) => {
    if (stats.size > MAX_EDITED_BYTES)
      throw invalid(`${file.shownAs} is larger than 8 MiB, too large to be edited.`);
    const bytes = await handle.readFile();
    decodeStrictly(bytes, file.shownAs);
    return createHash('sha256').update(bytes).digest('hex');
  });
  return (await ifThere(hash)) ?? null;
}

/** As `WorkspaceFiles.replaceText`; not in turn with other writes. */
export function editFile(access: ThreadAccess, path: string, edit: TextReplacement): Promise<number> {
  return atFile(access, { path: parseFilePath(path), create: false }, async (file) => {
    const { known } = access;
    if (known !== undefined) await requireKnown(file, known);
    const before = await usePlainFile(file, O_RDONLY, async ({ handle, stats }) => {
      if (stats.size > MAX_EDITED_BYTES)
        throw invalid(`${path} is larger than 8 MiB, too large to be edited.`);
      return decodeStrictly(await handle.readFile(), path);
    });
    const parts = splitText(before, edit);
    if (parts.length === 1) return 0;
    const content = parts.join(edit.replacement);
    const write = () => inDrafts(access, (draft) => replacePlainFile(file, content, draft));
    await (known === undefined ? write() : writeKnowing(file, known, write));
    return parts.length - 1;
  });
}

function splitText(text: string, { search, occurrences }: TextReplacement): readonly string[] {
  if (search === '') return [text];
  if (occurrences === 'all') return text.split(search);
  const at = text.indexOf(search);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + search.length)];
}

/** Anything but UTF-8 would be damaged by writing it back. */
function decodeStrictly(bytes: Buffer, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw invalid(`${path} is not UTF-8 text and cannot be edited.`);
  }
}
