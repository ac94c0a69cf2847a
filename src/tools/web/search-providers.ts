// The services that search the web: how each is asked, and how its response is read. Pure.
import { z } from 'zod';

export interface SearchQuery {
  readonly query: string;
  readonly maxResults: number;
}

export interface SearchResult {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

interface SearchRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON; absent: a GET request. */
  readonly body?: string;
}

export interface SearchProvider {
  /** Used unless the operator sets another address; `undefined` for a service that people host themselves. */
  readonly address: string | undefined;
  /** `apiKey` is empty when none is configured. */
  request(base: string, apiKey: string, query: SearchQuery): SearchRequest;
  /** Throws when the response has another form. */
  results(response: unknown): readonly SearchResult[];
}

const text = z
  .string()
  .nullish()
  .transform((it) => it ?? '');

/** The form of Tavily and SearXNG. */
const resultsOfContent = z
  .object({ results: z.array(z.object({ title: text, url: z.string(), content: text })) })
  .transform(({ results }) =>
    results.map(({ title, url, content }): SearchResult => ({ title, url, snippet: content })),
  );

const tavily: SearchProvider = {
  address: 'https://api.tavily.com',
  request: (base, apiKey, { query, maxResults }) => ({
    url: below(base, 'search'),
    headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({ query, max_results: maxResults, search_depth: 'basic' }),
  }),
  results: (response) => resultsOfContent.parse(response),
};

const braveResponse = z.object({
  web: z
    .object({ results: z.array(z.object({ title: text, url: z.string(), description: text })) })
    .nullish(),
});
const brave: SearchProvider = {
  address: 'https://api.search.brave.com/res/v1',
  request: (base, apiKey, { query, maxResults }) => ({
    url: below(base, 'web/search', { q: query, count: String(maxResults), text_decorations: 'false' }),
    headers: { 'x-subscription-token': apiKey },
  }),
  results: (response) =>
    (braveResponse.parse(response).web?.results ?? []).map(({ title, url, description }) => ({
      title,
      url,
      snippet: description,
    })),
};

const searxng: SearchProvider = {
  address: undefined,
  request: (base, apiKey, { query }) => ({
    url: below(base, 'search', { q: query, format: 'json' }),
    headers: apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` },
  }),
  results: (response) => resultsOfContent.parse(response),
};

export const SEARCH_PROVIDERS = { tavily, brave, searxng } as const satisfies Record<string, SearchProvider>;

function below(base: string, path: string, parameters: Readonly<Record<string, string>> = {}): URL {
  const url = new URL(path, base.endsWith('/') ? base : `${base}/`);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url;
}
