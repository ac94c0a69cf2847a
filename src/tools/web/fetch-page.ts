// Fetches a web page: every hop is checked, within limits of time, size and redirects.
import type { IncomingMessage } from 'node:http';
import { invalid, ServiceError } from '../../errors.ts';
import type { Resolve } from '../../network/checked-host.ts';
import { checkedUrl, guardedRequest } from './guarded-request.ts';
import { readBody } from './read-body.ts';

export interface FetchedPage {
  /** The address at which the redirects ended. */
  readonly url: URL;
  /** From the header, in lower case, without parameters; `''` when there is none. */
  readonly mediaType: string;
  /** From the header; `undefined` when it names none. */
  readonly charset: string | undefined;
  readonly body: Buffer;
}

export interface PageFetcherParts {
  readonly allowedHosts: ReadonlySet<string>;
  readonly resolve: Resolve;
  readonly timeoutMs: number;
}

const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Every failure but an abort is an `invalid` error whose detail is a sentence for the model. */
export function createPageFetcher(parts: PageFetcherParts) {
  return async (address: string, signal: AbortSignal): Promise<FetchedPage> => {
    const deadline = AbortSignal.timeout(parts.timeoutMs);
    try {
      return await follow(parts, address, AbortSignal.any([signal, deadline]));
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      signal.throwIfAborted();
      if (deadline.aborted) throw invalid(`The page did not load within ${parts.timeoutMs / 1_000} seconds.`);
      throw invalid(`The page could not be fetched: ${reasonOf(error)}.`);
    }
  };
}

async function follow(parts: PageFetcherParts, address: string, signal: AbortSignal): Promise<FetchedPage> {
  let target = checkedUrl(address, parts.allowedHosts);
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const message = await guardedRequest(target, parts.resolve, signal);
    const { location } = message.headers;
    if (!REDIRECTS.has(message.statusCode ?? 0) || location === undefined)
      return await pageOf(message, target.url, signal);
    message.destroy();
    target = checkedUrl(location, parts.allowedHosts, target.url);
  }
  throw invalid(`The page was not reached after ${MAX_REDIRECTS} redirects.`);
}

async function pageOf(message: IncomingMessage, url: URL, signal: AbortSignal): Promise<FetchedPage> {
  const status = message.statusCode ?? 0;
  try {
    if (status < 200 || status > 299)
      throw invalid(`The server of the page responded with status ${status}.`);
    const [type = '', ...parameters] = (message.headers['content-type'] ?? '').split(';');
    const charset = parameters.map((it) => /^\s*charset\s*=\s*"?([^"\s]+)"?/i.exec(it)?.[1]).find(Boolean);
    const body = await readBody(message, signal);
    return { url, mediaType: type.trim().toLowerCase(), charset, body };
  } finally {
    message.destroy();
  }
}

/** Returns a reason by the error code, because the message could name addresses of the internal network. */
function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return KNOWN_FAILURES[code] ?? (code === '' ? 'the connection failed' : code);
}

const NOT_TRUSTED = "the server's certificate is not trusted";
const KNOWN_FAILURES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the server refused the connection',
  ECONNRESET: 'the server closed the connection',
  ETIMEDOUT: 'the server did not answer',
  CERT_HAS_EXPIRED: "the server's certificate has expired",
  CERT_NOT_YET_VALID: "the server's certificate is not valid yet",
  DEPTH_ZERO_SELF_SIGNED_CERT: NOT_TRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: NOT_TRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: NOT_TRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: NOT_TRUSTED,
  EPROTO: 'the server does not support https',
  ERR_TLS_CERT_ALTNAME_INVALID: "the server's certificate is for another name",
};
