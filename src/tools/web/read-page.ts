// Reads a fetched page as text for a model.
import { invalid } from '../../errors.ts';
import { askProcess } from '../../processes/ask-process.ts';
import type { FetchedPage } from './fetch-page.ts';
import { type PageOrder, type PageReport, pageReportSchema } from './page-order.ts';

const LIMITS = { timeoutMs: 15_000, heapMb: 256 };
const HTML_TYPES: ReadonlySet<string> = new Set(['text/html', 'application/xhtml+xml']);
const TEXT_TYPES = /^(?:text\/|application\/(?:json|xml|javascript|yaml|x-yaml|toml)$)|\+(?:json|xml)$/;

/** Returns title and Markdown. Throws `invalid` with a sentence for the model when the page is not text. */
export async function readPage(page: FetchedPage, signal: AbortSignal): Promise<PageReport> {
  const { mediaType, body, url } = page;
  if (mediaType !== '' && !HTML_TYPES.has(mediaType) && !TEXT_TYPES.test(mediaType))
    throw invalid(
      `The address holds ${mediaType}, not text, and cannot be shown. Ask the person to upload the file.`,
    );
  const text = decoded(page);
  if (text.includes('\0')) throw invalid('The address holds a binary file, and cannot be shown.');
  const isHtml =
    HTML_TYPES.has(mediaType) || (mediaType === '' && /^\s*(?:<!doctype html|<html)/i.test(text));
  if (!isHtml || body.length === 0) return { title: '', markdown: text.trim() };
  return readInProcess({ html: text, url: url.href }, signal);
}

function decoded({ body, charset }: FetchedPage): string {
  const head = body.subarray(0, 2_048).toString('latin1');
  const inPage = /<meta[^<>]*charset\s*=[\s"']*([a-z0-9_.:-]+)/i.exec(head)?.[1];
  return decodedAs(markOf(body) ?? charset ?? inPage, body);
}

/** Returns the encoding that a byte order mark names. It is more reliable than any header. */
function markOf(body: Buffer): string | undefined {
  if (body[0] === 0xff && body[1] === 0xfe) return 'utf-16le';
  if (body[0] === 0xfe && body[1] === 0xff) return 'utf-16be';
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 'utf-8' : undefined;
}

function decodedAs(label: string | undefined, body: Buffer): string {
  try {
    return new TextDecoder(label ?? 'utf-8').decode(body);
  } catch {
    return new TextDecoder('utf-8').decode(body);
  }
}

async function readInProcess(order: PageOrder, signal: AbortSignal): Promise<PageReport> {
  const program = new URL('./page-process.ts', import.meta.url);
  const read = await askProcess({ program, order, ...LIMITS, signal });
  signal.throwIfAborted();
  if (read.kind !== 'answered') throw invalid('The structure of the page cannot be read.');
  return pageReportSchema.parse(read.outcome);
}
