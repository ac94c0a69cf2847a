// Responds with a file: the whole, a part, or nothing when the client already has it.

import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { ServiceError } from '../../errors.ts';
import type { ByteSpan, OpenArtifact } from '../../workspace/artifacts/artifacts.ts';
import type { AppContext } from '../api/context.ts';
import type { LiveBody } from '../transport/live-body.ts';

/** Files must not act: attachments are isolated from this origin, displayed files may load nothing else. */
const SEALED = "sandbox; default-src 'none'";
const SHOWN = "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'";
const POLICIES = {
  text: `sandbox; ${SHOWN}; frame-ancestors 'self'`,
  image: `sandbox; ${SHOWN}; frame-ancestors 'self'`,
  media: `${SHOWN}; frame-ancestors 'self'`,
  // The PDF viewers of browsers do not work in a sandbox.
  pdf: `${SHOWN}; object-src 'self'; frame-ancestors 'self'`,
  other: SEALED,
} as const;

/** Responds with the file and takes ownership of it: it is closed when the response ends, however it ends. */
export async function fileResponse(
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
  if (range === 'unsatisfiable') {
    await file.close();
    c.header('Content-Range', `bytes */${file.size}`);
    throw new ServiceError(
      'range_not_satisfiable',
      `The file has ${file.size} bytes; ask for one part of them.`,
    );
  }
  c.header('Content-Type', file.type.mediaType);
  c.header('Content-Disposition', contentDisposition(isInline ? 'inline' : 'attachment', file.name));
  if (range === 'whole') return body(c, file, { first: 0, last: file.size - 1 });
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

/** Whether the client already has the file. `If-None-Match` takes precedence over `If-Modified-Since`. */
function isKnown(c: AppContext, { modifiedAt }: OpenArtifact, etag: string): boolean {
  const tags = c.req.header('if-none-match');
  if (tags !== undefined) return tags.split(',').some((tag) => ['*', etag, `W/${etag}`].includes(tag.trim()));
  const since = Date.parse(c.req.header('if-modified-since') ?? '');
  return !Number.isNaN(since) && toSeconds(modifiedAt) <= since;
}

/** Whether the file still matches the part that the client has (`If-Range`). */
function isSameAsBefore(c: AppContext, { modifiedAt }: OpenArtifact, etag: string): boolean {
  const before = c.req.header('if-range');
  if (before === undefined) return true;
  return before.includes('"') ? before.trim() === etag : Date.parse(before) === toSeconds(modifiedAt);
}

function toSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000) * 1000;
}

/** `whole` when no range was requested. */
type AskedRange = ByteSpan | 'whole' | 'unsatisfiable';

const BYTES = /^bytes\s*=(.*)$/i;
const ONE = /^\s*(\d*)-(\d*)\s*$/;

/**
 * Parses at most one range. Several ranges give the whole file, as RFC 9110 allows; a malformed range is
 * `unsatisfiable`. Units other than bytes are ignored.
 */
function askedRange(header: string | undefined, size: number): AskedRange {
  const set = header === undefined ? null : BYTES.exec(header);
  if (set === null || isSeveral(set[1] ?? '')) return 'whole';
  const [, from = '', to = ''] = ONE.exec(set[1] ?? '') ?? [];
  if (from === '' && to === '') return 'unsatisfiable';
  if (from === '') return part(Math.max(0, size - Number(to)), size - 1, size);
  const last = to === '' ? size - 1 : Math.min(Number(to), size - 1);
  return part(Number(from), last, size);
}

function isSeveral(ranges: string): boolean {
  const list = ranges.split(',');
  return list.length > 1 && list.every((range) => ONE.test(range) && range.trim() !== '-');
}

function part(first: number, last: number, size: number): AskedRange {
  return first > last || first >= size ? 'unsatisfiable' : { first, last };
}

/** Returns an ASCII name for old clients and the real name. No name can end the header or inject another. */
export function contentDisposition(kind: 'inline' | 'attachment', name: string): string {
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\%;/]/g, '_');
  return `${kind}; filename="${plain}"; filename*=UTF-8''${encoded(name)}`;
}

function encoded(name: string): string {
  const escaped = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(name.toWellFormed()).replaceAll(/['()*]/g, escaped);
}

/** Sends the file. Aborts if it has become shorter, so that no client mistakes a part for the whole. */
function fileBody(bytes: Readable, length: number): LiveBody {
  return {
    pourInto(response) {
      let sent = 0;
      bytes.on('data', (piece: Buffer) => {
        sent += piece.length;
        if (!response.write(piece)) bytes.pause();
      });
      response.on('drain', () => bytes.resume());
      response.on('close', () => bytes.destroy());
      bytes.on('end', () => finish(response, sent === length));
      bytes.on('error', () => response.destroy());
      if (response.destroyed) bytes.destroy();
    },
    stream: () => Readable.toWeb(bytes),
    leave: () => void bytes.destroy(),
  };
}

function finish(response: ServerResponse, isWhole: boolean): void {
  if (isWhole) response.end();
  else response.destroy();
}
