// One HTTP request to an address that was checked, and to no other one: what is resolved is what is connected to.
import type { IncomingMessage } from 'node:http';
import { invalid } from '../../errors.ts';
import { isReachable } from '../../network/address-rules.ts';
import { checkedHost, type Resolve } from '../../network/checked-host.ts';
import { pinnedRequest, WentElsewhereError } from '../../network/pinned-request.ts';
import type { CheckedUrl } from './checked-url.ts';

/** No cookies, no credentials, nothing that could tell who asks. */
const HEADERS = {
  accept:
    'text/html, application/xhtml+xml, text/markdown, text/plain;q=0.9, application/json;q=0.8, */*;q=0.1',
  'accept-encoding': 'gzip, deflate, br',
  'accept-language': 'en, *;q=0.5',
  'user-agent': 'Mozilla/5.0 (compatible; AgentService/1.0)',
};

/**
 * The answer, with its body unread. Every address of the name must be one that may be reached, and the connection goes
 * to one of them; a name that changes meanwhile changes nothing. Throws `invalid` with a sentence for the model.
 */
export async function guardedRequest(
  { url, host, reach }: CheckedUrl,
  resolve: Resolve,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const checked = await checkedHost(host, resolve, (address) => isReachable(address, reach));
  signal.throwIfAborted();
  if (checked.kind === 'unknown') throw invalid(`There is no host named ${host}.`);
  if (checked.kind === 'inside')
    throw invalid(`${host} is not a public address of the internet and is not fetched.`);
  try {
    const { addresses } = checked;
    return await pinnedRequest({ url, addresses, method: 'GET', headers: HEADERS, signal });
  } catch (error) {
    if (error instanceof WentElsewhereError) throw invalid(`The connection to ${host} went elsewhere.`);
    throw error;
  }
}
