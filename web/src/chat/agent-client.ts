// The SDK's client, on the app's own fetch.
import { Client } from '@langchain/langgraph-sdk/client';
import type { ServiceFetch } from '../api/service-fetch.ts';

export const ASSISTANT_ID = 'lead_agent';

/** Cookies and the CSRF header come from `fetch`. */
export function createAgentClient(fetch: ServiceFetch): Client {
  return new Client({
    apiUrl: `${location.origin}/api/graph`,
    // No key of the environment applies in a browser; the session's cookie says who is asking.
    apiKey: null,
    callerOptions: { fetch, maxRetries: 2 },
  });
}
