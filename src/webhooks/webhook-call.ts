// Makes one call of a webhook, if its address is allowed.
import { isIP } from 'node:net';
import { hostOf, isReachable, type Reach } from '../network/address-rules.ts';
import { checkedHost, resolveBySystem } from '../network/checked-host.ts';
import { pinnedRequest } from '../network/pinned-request.ts';
import type { WebhookFailure } from '../storage/webhook-deliveries.ts';
import { unlessAborted } from '../unless-aborted.ts';

export interface CallResponse {
  readonly kind: 'delivered' | 'try_again' | 'give_up';
  /** HTTP status; `null` without a response. */
  readonly status: number | null;
  readonly error: WebhookFailure | null;
}

export interface WebhookCall {
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

const GONE = 410;

/** Never rejects. `stopped` ends the call with `try_again`. */
export function createWebhookCaller(allowed: ReadonlySet<string>, timeoutMs: number) {
  return async (call: WebhookCall, stopped: AbortSignal): Promise<CallResponse> => {
    const address = webhookAddress(call.url, allowed);
    if (typeof address === 'string') return failed('give_up', 'refused_address');
    const late = AbortSignal.timeout(timeoutMs);
    const mayReach = (it: string) => isReachable(it, address.reach);
    try {
      // A lookup cannot be cancelled.
      const checked = await unlessAborted(late, checkedHost(address.host, resolveBySystem, mayReach));
      if (checked.kind !== 'reachable') return WITHOUT_A_CALL[checked.kind];
      return await send(call, { ...checked, url: address.url, signal: AbortSignal.any([late, stopped]) });
    } catch {
      return failed('try_again', late.aborted ? 'timeout' : 'no_connection');
    }
  };
}

const WITHOUT_A_CALL = {
  unknown: failed('try_again', 'unknown_host'),
  inside: failed('give_up', 'refused_address'),
} as const;

async function send(
  { body, headers }: WebhookCall,
  to: Pick<Parameters<typeof pinnedRequest>[0], 'url' | 'addresses' | 'signal'>,
): Promise<CallResponse> {
  const own = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'user-agent': 'AgentService-Webhooks/1',
  };
  const message = await pinnedRequest({ ...to, method: 'POST', headers: { ...headers, ...own }, body });
  // Only the status matters.
  message.destroy();
  return responseOf(message.statusCode ?? 0);
}

function responseOf(status: number): CallResponse {
  if (status >= 200 && status < 300) return { kind: 'delivered', status, error: null };
  const error = status >= 300 && status < 400 ? 'redirected' : 'bad_status';
  return { kind: status === GONE ? 'give_up' : 'try_again', status, error };
}

function failed(kind: 'try_again' | 'give_up', error: WebhookFailure): CallResponse {
  return { kind, status: null, error };
}

interface WebhookAddress {
  readonly url: URL;
  /** The host, without the brackets of IPv6. */
  readonly host: string;
  readonly reach: Reach;
}

/** Lower ports belong to services that are not meant to be called by strangers. */
const FIRST_FREE_PORT = 1_024;
const PROTOCOLS: ReadonlySet<string> = new Set(['http:', 'https:']);
const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };
const WEB_PORTS: ReadonlySet<string> = new Set(['', '80', '443']);

/**
 * Returns the address, or a sentence with the reason why it is not called. Each call checks where its name
 * leads.
 */
export function webhookAddress(text: string, allowed: ReadonlySet<string>): WebhookAddress | string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !PROTOCOLS.has(url.protocol)) return 'A webhook is a full http(s) address';
  if (url.username !== '' || url.password !== '')
    return 'A webhook has no user name and no password in its address';
  const host = hostOf(url);
  const port = url.port === '' ? DEFAULT_PORTS[url.protocol] : url.port;
  const isAllowed = allowed.has(host) || allowed.has(`${host}:${port}`);
  if (!isAllowed && !isOpenPort(url.port)) return 'A webhook must use port 80, 443 or a port from 1024 on';
  const reach = isAllowed ? 'lan' : 'public';
  if (isIP(host) !== 0 && !isReachable(host, reach)) return 'A webhook must have a public internet address';
  return { url, host, reach };
}

function isOpenPort(port: string): boolean {
  return WEB_PORTS.has(port) || Number(port) >= FIRST_FREE_PORT;
}
