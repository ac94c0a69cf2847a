// Answers with a file: whole, a part, or nothing when the client has it already.
import { ServiceError } from '../../errors.ts';
import type { ByteSpan, OpenArtifact } from '../../workspace/artifacts/artifacts.ts';
import type { AppContext } from '../api/context.ts';
import { askedRange } from './byte-range.ts';
import { contentDisposition } from './content-disposition.ts';
import { fileBody } from './file-body.ts';

/** Files act nowhere: what is not shown is cut off from this origin, what is shown may load nothing. */
const SEALED = "sandbox; default-src 'none'";
const SHOWN = "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'";
const POLICIES = {
  text: `sandbox; ${SHOWN}; frame-ancestors 'self'`,
  image: `sandbox; ${SHOWN}; frame-ancestors 'self'`,
  media: `${SHOWN}; frame-ancestors 'self'`,
  // The readers of browsers do not work in a sandbox.
  pdf: `${SHOWN}; object-src 'self'; frame-ancestors 'self'`,
  other: SEALED,
} as const;

/** Takes the file over: it is closed when the answer is over, however it ends. */
export async function fileAnswer(
  c: AppContext,
  file: OpenArtifact,
  { download }: { readonly download: boolean },
): Promise<Response> {
  const isInline = file.type.isInline && !download;
  const etag = `"${file.version}"`;
  c.header('ETag', etag);
  c.header('Last-Modified', new Date(file.modifiedAt).toUTCString());
  c.header('Cache-Control', 'private, no-cache');
  c.header('Accept-Ranges', 'bytes');
  c.header('Content-Security-Policy', isInline ? POLICIES[file.type.kind] : SEALED);
  if (isInline) c.header('X-Frame-Options', 'SAMEORIGIN');
  if (isKnown(c, file, etag)) {
    await file.close();
    return c.body(null, 304);
  }
  const isRead = c.req.method === 'GET' && isSameAsBefore(c, file, etag);
  const range = askedRange(isRead ? c.req.header('range') : undefined, file.size);
  if (range.kind === 'unsatisfiable') {
    await file.close();
    c.header('Content-Range', `bytes */${file.size}`);
    throw new ServiceError(
      'range_not_satisfiable',
      `The file has ${file.size} bytes; ask for one part of them.`,
    );
  }
  c.header('Content-Type', file.type.mediaType);
  c.header('Content-Disposition', contentDisposition(isInline ? 'inline' : 'attachment', file.name));
  if (range.kind === 'whole') return body(c, file, { first: 0, last: file.size - 1 });
  c.header('Content-Range', `bytes ${range.first}-${range.last}/${file.size}`);
  return body(c, file, range);
}

async function body(c: AppContext, file: OpenArtifact, span: ByteSpan): Promise<Response> {
  const length = span.last - span.first + 1;
  const status = length === file.size ? 200 : 206;
  c.header('Content-Length', String(length));
  if (c.req.method === 'HEAD' || length === 0) {
    await file.close();
    return c.body(null, status);
  }
  const content = fileBody(file.read(span), length);
  const live = c.env?.live;
  if (live === undefined) return c.body(content.stream(), status);
  live.body = content;
  return c.body(null, status);
}

/** `If-None-Match` wins over `If-Modified-Since`. */
function isKnown(c: AppContext, { modifiedAt }: OpenArtifact, etag: string): boolean {
  const tags = c.req.header('if-none-match');
  if (tags !== undefined) return tags.split(',').some((tag) => ['*', etag, `W/${etag}`].includes(tag.trim()));
  const since = Date.parse(c.req.header('if-modified-since') ?? '');
  return !Number.isNaN(since) && toSeconds(modifiedAt) <= since;
}

/** Whether a part of the file goes with the part that the client has (`If-Range`). */
function isSameAsBefore(c: AppContext, { modifiedAt }: OpenArtifact, etag: string): boolean {
  const before = c.req.header('if-range');
  if (before === undefined) return true;
  return before.includes('"') ? before.trim() === etag : Date.parse(before) === toSeconds(modifiedAt);
}

function toSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000) * 1000;
}
