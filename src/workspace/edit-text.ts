// Changes texts based on their current content: guarded by a hash, or by replacing passages.
import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import { invalid } from '../errors.ts';
import { requireKnown, writeKnowing } from './known-versions.ts';
import { type FileAt, replacePlainFile, usePlainFile } from './plain-file.ts';
import { atFile, type ThreadAccess } from './thread-access.ts';
import { ifThere } from './workspace-failure.ts';

/** `sha256` is that of the current content, `null` when there is no file. */
export interface GuardedWrite {
  readonly isWritten: boolean;
  readonly sha256: string | null;
}

export interface TextReplacement {
  readonly search: string;
  readonly replacement: string;
  readonly occurrences: 'first' | 'all';
}

const MAX_EDITED_BYTES = 8 * 1024 * 1024;

interface TextToPut {
  readonly path: string;
  readonly content: string;
  readonly expected: string | null;
}

/** As `WorkspaceFiles.putText`, but not queued with other writes. */
export function putText(access: ThreadAccess, { path, content, expected }: TextToPut): Promise<GuardedWrite> {
  return atFile(access, { path, create: expected === null }, async (file) => {
    const current = await ifThere(readEditable(file));
    const sha256 = current === undefined ? null : hash('sha256', current);
    if (sha256 !== expected) return { isWritten: false, sha256 };
    await replacePlainFile(file, content, access);
    return { isWritten: true, sha256: hash('sha256', content) };
  });
}

/** As `WorkspaceFiles.replaceText`, but not queued with other writes. */
export function editFile(access: ThreadAccess, path: string, edit: TextReplacement): Promise<number> {
  return atFile(access, { path, create: false }, async (file) => {
    await requireKnown(file, access.known);
    const parts = splitText((await readEditable(file)).toString('utf8'), edit);
    if (parts.length === 1) return 0;
    const content = parts.join(edit.replacement);
    await writeKnowing(file, access.known, () => replacePlainFile(file, content, access));
    return parts.length - 1;
  });
}

function splitText(text: string, { search, occurrences }: TextReplacement): readonly string[] {
  if (search === '') return [text];
  if (occurrences === 'all') return text.split(search);
  const at = text.indexOf(search);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + search.length)];
}

/** Refuses anything but UTF-8, which writing it back would damage. */
function readEditable(file: FileAt): Promise<Buffer> {
  return usePlainFile(file, async ({ handle, stats }) => {
    if (stats.size > MAX_EDITED_BYTES)
      throw invalid(`${file.shownAs} is larger than 8 MiB, too large to be edited.`);
    const bytes = await handle.readFile();
    if (!isUtf8(bytes)) throw invalid(`${file.shownAs} is not UTF-8 text and cannot be edited.`);
    return bytes;
  });
}
