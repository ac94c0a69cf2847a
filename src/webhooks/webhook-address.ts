// Which addresses a webhook may have.
import { isIP } from 'node:net';
import { isReachable, type Reach } from '../network/address-rules.ts';

export interface WebhookAddress {
  readonly url: URL;
  /** Without the brackets of IPv6. */
  readonly host: string;
  readonly reach: Reach;
}

/** Below it are services that are not meant to be called by strangers. */
const FIRST_FREE_PORT = 1_024;
const PROTOCOLS: ReadonlySet<string> = new Set(['http:', 'https:']);
const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };
const WEB_PORTS: ReadonlySet<string> = new Set(['', '80', '443']);

/** The address, or a sentence that says why it is not called. Where a name leads is looked at with each call. */
export function webhookAddress(text: string, allowed: ReadonlySet<string>): WebhookAddress | string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !PROTOCOLS.has(url.protocol)) return 'A webhook is a full http(s) address';
  if (url.username !== '' || url.password !== '')
    return 'A webhook has no user name and no password in its address';
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const port = url.port === '' ? DEFAULT_PORTS[url.protocol] : url.port;
  const isAllowed = allowed.has(host) || allowed.has(`${host}:${port}`);
  if (!isAllowed && !isOpenPort(url.port)) return 'A webhook has the port 80, 443 or one from 1024 on';
  const reach = isAllowed ? 'lan' : 'public';
  if (isIP(host) !== 0 && !isReachable(host, reach)) return 'A webhook has a public address of the internet';
  return { url, host, reach };
}

function isOpenPort(port: string): boolean {
  return WEB_PORTS.has(port) || Number(port) >= FIRST_FREE_PORT;
}
