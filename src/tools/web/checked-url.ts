// The address of a web page as a model, or a redirect, writes it: parsed, and refused unless it is plain http(s).
import { invalid } from '../../errors.ts';
import type { Reach } from '../../network/address-rules.ts';

export interface CheckedUrl {
  readonly url: URL;
  /** Without the brackets of IPv6 and without a dot at its end. */
  readonly host: string;
  readonly reach: Reach;
}

const MAX_URL_CHARACTERS = 4_096;
const PORTS: ReadonlySet<string> = new Set(['', '80', '443']);

/**
 * `allowed` are hosts, or hosts with a port, that the operator opens although they are inside. Throws `invalid` with a
 * sentence for the model.
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
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const isOpened = allowed.has(host) || allowed.has(`${host}:${portOf(url)}`);
  if (!PORTS.has(url.port) && !allowed.has(`${host}:${portOf(url)}`))
    throw invalid(`Only the ports 80 and 443 are fetched from, not ${url.port}.`);
  return { url, host, reach: isOpened ? 'lan' : 'public' };
}

function portOf(url: URL): string {
  return url.port || (url.protocol === 'https:' ? '443' : '80');
}
