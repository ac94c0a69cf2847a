// One HTTP request to the address of a web page, as a model or a redirect wrote it. The address is checked,
// and the connection goes only to the IP addresses that were checked.
import type { IncomingMessage } from 'node:http';
import { invalid } from '../../errors.ts';
import { hostOf, isReachable, type Reach } from '../../network/address-rules.ts';
import { checkedHost, type Resolve } from '../../network/checked-host.ts';
import { pinnedRequest, WentElsewhereError } from '../../network/pinned-request.ts';

interface CheckedUrl {
  readonly url: URL;
  /** Without the brackets of IPv6 and without a final dot. */
  readonly host: string;
  readonly reach: Reach;
}

const MAX_URL_CHARACTERS = 4_096;
const PORTS: ReadonlySet<string> = new Set(['', '80', '443']);

/**
 * `allowed` are hosts, or hosts with a port, that the operator allows although they are internal. Throws
 * `invalid` with a sentence for the model.
 */
export function checkedUrl(text: string, allowed: ReadonlySet<string>, base?: URL): CheckedUrl {
  if (text.length > MAX_URL_CHARACTERS) throw invalid('The address is too long.');
  if (!URL.canParse(text, base?.href))
    throw invalid('That is not a full address; write it like https://example.com/page.');
  const url = new URL(text, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw invalid(`Only http and https addresses can be fetched, not ${url.protocol}`);
  if (url.username !== '' || url.password !== '')
    throw invalid('Addresses with a user name or a password in them are not fetched.');
  const host = hostOf(url);
  const isOpened = allowed.has(host) || allowed.has(`${host}:${portOf(url)}`);
  if (!PORTS.has(url.port) && !allowed.has(`${host}:${portOf(url)}`))
    throw invalid(`Only the ports 80 and 443 can be fetched from, not ${url.port}.`);
  return { url, host, reach: isOpened ? 'lan' : 'public' };
}

function portOf(url: URL): string {
  return url.port || (url.protocol === 'https:' ? '443' : '80');
}

/** No cookies, no credentials, nothing that could identify the user. */
const HEADERS = {
  accept:
    'text/html, application/xhtml+xml, text/markdown, text/plain;q=0.9, application/json;q=0.8, */*;q=0.1',
  'accept-encoding': 'gzip, deflate, br',
  'accept-language': 'en, *;q=0.5',
  'user-agent': 'Mozilla/5.0 (compatible; AgentService/1.0)',
};

/**
 * Returns the response, with its body unread. Every address of the name must be one that may be reached, and
 * the connection goes to one of them, even if the name changes afterwards. Throws `invalid` with a sentence
 * for the model.
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
