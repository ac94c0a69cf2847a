// The requests to a remote tool server: to addresses that were judged, and to no other, whatever its name leads to.
import type { IncomingMessage } from 'node:http';
import type { FetchLike } from '@modelcontextprotocol/client';
import { isReachable } from '../../network/address-rules.ts';
import { checkedHost, type Resolve, type ResolvedAddress } from '../../network/checked-host.ts';
import { decompressed } from '../../network/decompressed.ts';
import { pinnedRequest } from '../../network/pinned-request.ts';

const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);
const METHODS = ['GET', 'POST', 'DELETE'] as const;

/** The server has an address that is never reached. The message is a clause that people may read. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';

  constructor() {
    super(
      'its name leads to an address that is never reached, such as that where a cloud keeps its credentials',
    );
  }
}

/**
 * What the host of the address leads to. It may lie inside of the network, because an administrator named it. Throws
 * `AddressRefused`, and an error when nobody knows the name.
 */
export async function serverAddresses(url: URL, resolve: Resolve): Promise<readonly ResolvedAddress[]> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const checked = await checkedHost(host, resolve, (address) => isReachable(address, 'lan'));
  switch (checked.kind) {
    case 'reachable':
      return checked.addresses;
    case 'inside':
      throw new AddressRefused();
    case 'unknown':
      throw new Error('The name of the server is not known.');
    default:
      return checked satisfies never;
  }
}

/** Looks the name up for each request. Redirects are answered, and whoever follows one asks here again. */
export function createCheckedFetch(resolve: Resolve): FetchLike {
  return async (address, init = {}) => {
    const url = new URL(address);
    const signal = init.signal ?? new AbortController().signal;
    const addresses = await serverAddresses(url, resolve);
    signal.throwIfAborted();
    const message = await pinnedRequest({
      url,
      addresses,
      signal,
      method: METHODS.find((it) => it === init.method) ?? 'GET',
      headers: { ...Object.fromEntries(new Headers(init.headers)), 'accept-encoding': 'identity' },
      ...(typeof init.body === 'string' && { body: init.body }),
    });
    try {
      return responseOf(message, url);
    } catch (error) {
      // Of a status or a header that no response may have: nobody reads its body.
      message.destroy();
      throw error;
    }
  };
}

function responseOf(message: IncomingMessage, url: URL): Response {
  const { statusCode: status = 0, statusMessage: statusText = '', rawHeaders } = message;
  const headers = new Headers();
  for (let index = 0; index < rawHeaders.length; index += 2)
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '');
  const isBodiless = BODILESS.has(status);
  if (isBodiless) message.resume();
  const body = isBodiless ? null : ReadableStream.from(decompressed(message));
  const response = new Response(body, { status, statusText, headers });
  // What redirects are judged by: a response that is made here has no address.
  Object.defineProperty(response, 'url', { value: url.href });
  return response;
}
