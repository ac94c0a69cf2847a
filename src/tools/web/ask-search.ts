// Asks a search service over HTTP, within limits of time and size. Its key is sent to no other address.
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { atMost } from '../../at-most.ts';
import { invalid, ServiceError } from '../../errors.ts';
import type { SearchProvider, SearchQuery, SearchResult } from './search-providers.ts';

export interface SearchService {
  readonly provider: SearchProvider;
  readonly base: string;
  /** Empty when the service needs none. */
  readonly apiKey: string;
  readonly timeoutMs: number;
}

const MAX_RESPONSE_BYTES = 4_194_304;
const GO_ON = 'Go on without it, and say so.';

/** Fails, except after an abort, with `invalid` and a sentence for the model without key and address. */
export async function askSearch(
  service: SearchService,
  query: SearchQuery,
  signal: AbortSignal,
): Promise<readonly SearchResult[]> {
  const deadline = AbortSignal.timeout(service.timeoutMs);
  try {
    const response = await responseTo(service, query, AbortSignal.any([signal, deadline]));
    return resultsIn(service.provider, response);
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    signal.throwIfAborted();
    if (deadline.aborted)
      throw invalid(
        `The web search did not answer within ${service.timeoutMs / 1_000} seconds. Try once more, or go on without it.`,
      );
    throw invalid(`The web search cannot be reached. ${GO_ON}`);
  }
}

async function responseTo(
  { provider, base, apiKey }: SearchService,
  query: SearchQuery,
  signal: AbortSignal,
): Promise<string> {
  const { url, headers, body } = provider.request(base, apiKey, query);
  const response = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { accept: 'application/json', ...headers },
    // The target of a redirect would get the key.
    redirect: 'error',
    signal,
    ...(body === undefined ? {} : { body }),
  });
  try {
    if (!response.ok) throw refusalOf(response.status);
    const tooMuch = () => invalid('The web search answered too much. Ask more exactly.');
    return await text(atMost(response.body ?? Readable.from([]), MAX_RESPONSE_BYTES, tooMuch));
  } finally {
    if (!response.bodyUsed) await response.body?.cancel().catch(() => {});
  }
}

function refusalOf(status: number): ServiceError {
  if (status === 401 || status === 403)
    return invalid(`The web search refused the service: its key or its settings are wrong. ${GO_ON}`);
  if (status === 429)
    return invalid('The web search was asked too often. Wait a little, or go on without it.');
  if (status === 400 || status === 422)
    return invalid('The web search did not accept the query. Use fewer and plainer words.');
  return invalid(`The web search responded with status ${status}. Try once more, or continue without it.`);
}

function resultsIn(provider: SearchProvider, response: string): readonly SearchResult[] {
  try {
    return provider.results(JSON.parse(response));
  } catch {
    throw invalid(`The web search answered in a form that nobody knows. ${GO_ON}`);
  }
}
