// Set-up of each test file: responses of a service to `fetch` are checked against the API's document, in any
// process.
import { answerContract, isOfTheApi } from './answer-contract.ts';

const plainFetch = globalThis.fetch;

async function heldFetch(...[input, init]: Parameters<typeof fetch>): ReturnType<typeof fetch> {
  const response = await plainFetch(input, init);
  const asked = input instanceof Request ? input : { method: 'GET', url: String(input) };
  if (!isOfTheApi(new URL(asked.url))) return response;
  const contract = await answerContract();
  return contract.hold({ method: init?.method ?? asked.method, url: asked.url }, response);
}

// A worker has one `fetch` for all of its files.
if (plainFetch.name !== heldFetch.name) globalThis.fetch = heldFetch;
