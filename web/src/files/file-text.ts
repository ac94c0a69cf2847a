// Decodes the text of a file, if it has one. Pure.
import type { FileContent } from '../api/file-shapes.ts';

export type FileText =
  | { readonly kind: 'text'; readonly text: string }
  /** Not UTF-8. Mostly readable, but it cannot be written back. */
  | { readonly kind: 'rough'; readonly text: string }
  | { readonly kind: 'binary' };

const known = new WeakMap<FileContent, FileText>();

export function readText(content: FileContent): FileText {
  const before = known.get(content);
  if (before !== undefined) return before;
  const text = decoded(content);
  known.set(content, text);
  return text;
}

function decoded({ bytes, isWhole, mediaType }: FileContent): FileText {
  const isDeclared = /^text\/|json|xml/.test(mediaType);
  if (bytes.includes(0)) return { kind: 'binary' };
  try {
    // The last character of a partial file may be cut off. The byte order mark stays, so that it is written
    // back.
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, {
      stream: !isWhole,
    });
    return { kind: 'text', text };
  } catch {
    return isDeclared
      ? { kind: 'rough', text: new TextDecoder('windows-1252').decode(bytes) }
      : { kind: 'binary' };
  }
}
