// How a file is presented: by its name and, where that says too little, by its first bytes. Pure.
import mime from 'mime';

export interface ArtifactType {
  /** For `Content-Type`, with the charset where it is known. */
  readonly mediaType: string;
  readonly kind: 'text' | 'image' | 'media' | 'pdf' | 'other';
  /** True when a browser may show it on the service's own origin, because nothing in it can act there. */
  readonly isInline: boolean;
}

/** How many bytes of a file decide its type. */
export const HEAD_BYTES = 8192;

const UNKNOWN = 'application/octet-stream';
const MARKUP = /^text\/html$|[/+]xml$/;
/**
 * Texts that keep their own type. Every other text is plain, so that none is ever a script or a style sheet.
 */
const OWN_TEXTS: ReadonlySet<string> = new Set([
  'text/markdown',
  'text/csv',
  'text/tab-separated-values',
  'application/json',
]);
/** Files that end with .ts are TypeScript far more often than video. */
const TYPESCRIPT = 'video/mp2t';

/** `head` is the first `HEAD_BYTES` of the file, or all of it. */
export function artifactType(name: string, head: Uint8Array): ArtifactType {
  const guessed = mime.getType(name) ?? UNKNOWN;
  if (MARKUP.test(guessed)) return { mediaType: withCharset(guessed, head), kind: 'text', isInline: false };
  const shown = kindOf(guessed);
  if (shown !== undefined && !(guessed === TYPESCRIPT && isText(head)))
    return { mediaType: guessed, kind: shown, isInline: true };
  if (OWN_TEXTS.has(guessed) && !head.includes(0))
    return { mediaType: withCharset(guessed, head), kind: 'text', isInline: true };
  if (isText(head)) return { mediaType: 'text/plain; charset=utf-8', kind: 'text', isInline: true };
  const mediaType = guessed.startsWith('text/') ? UNKNOWN : guessed;
  return { mediaType, kind: 'other', isInline: false };
}

function kindOf(mediaType: string): 'image' | 'media' | 'pdf' | undefined {
  if (mediaType === 'application/pdf') return 'pdf';
  if (mediaType.startsWith('image/')) return 'image';
  return mediaType.startsWith('audio/') || mediaType.startsWith('video/') ? 'media' : undefined;
}

function withCharset(mediaType: string, head: Uint8Array): string {
  return isText(head) ? `${mediaType}; charset=utf-8` : mediaType;
}

function isText(head: Uint8Array): boolean {
  if (head.includes(0)) return false;
  try {
    // The last character may be cut off.
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return true;
  } catch {
    return false;
  }
}
