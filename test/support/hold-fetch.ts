// Before each file of tests: what `fetch` gets from a service is held to the API's document, whatever process answered it.
import { answerContract } from './answer-contract.ts';

/** Where operations of the API are. What else tests ask, such as model servers, is none of the document's. */
const OF_THE_API = /^\/(api|health|openapi\.json)(\/|$)/;

const plainFetch = globalThis.fetch;

async function heldFetch(...[input, init]: Parameters<typeof fetch>): ReturnType<typeof fetch> {
  const response = await plainFetch(input, init);
  const asked = input instanceof Request ? input : { method: 'GET', url: String(input) };
  const { hostname, pathname } = new URL(asked.url);
  if (hostname !== '127.0.0.1' || !OF_THE_API.test(pathname)) return response;
  const contract = await answerContract();
  return contract.hold({ method: init?.method ?? asked.method, url: asked.url }, response);
}

// A worker has one `fetch` for all of its files.
if (plainFetch.name !== heldFetch.name) globalThis.fetch = heldFetch;
