// Responses of a service to a browser are checked against the API's document, too.
import type { Page, Response as PageResponse } from 'playwright-core';
import { answerContract, isOfTheApi } from './answer-contract.ts';

const NO_BODY = new Set([204, 205, 304]);

/** Calls `complain` with a sentence for each response that violates the document. */
export function holdPage(page: Page, complain: (text: string) => void): void {
  page.on('response', (response) => {
    held(response).catch((error: unknown) => complain(String(error)));
  });
}

async function held(response: PageResponse): Promise<void> {
  const url = response.url();
  if (!isOfTheApi(new URL(url))) return;
  const headers = await response.allHeaders();
  if (headers['content-type']?.startsWith('application/json') !== true) return;
  // A response that a test made up has no address. One that the page no longer waited for has no body.
  const from = await response.serverAddr().catch(() => null);
  const text = await response.text().catch(() => undefined);
  if (from === null || text === undefined) return;
  const status = response.status();
  const contract = await answerContract();
  const reply = new Response(NO_BODY.has(status) ? null : text, {
    status,
    headers: { 'content-type': headers['content-type'] },
  });
  await (await contract.hold({ method: response.request().method(), url }, reply)).text();
}
