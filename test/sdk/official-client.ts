// The official client in the versions that people have, each signed in to a service on a real port.
import { Client } from '@langchain/langgraph-sdk';
import { Client as Client1x12 } from 'langgraph-sdk-1-12';
import { Client as Client2x0 } from 'langgraph-sdk-2-0';
import type { HttpClient } from '../support/http-client.ts';
import type { ServedService } from '../websocket/served.ts';

type ClientConfig = NonNullable<ConstructorParameters<typeof Client>[0]>;

export interface SdkVersion {
  readonly version: string;
  /** How the version writes a list in the query. */
  readonly lists: 'repeated' | 'json';
  readonly make: (config: ClientConfig) => Client;
}

/** The calls are the same in all of them, so the tests are written against the types of the newest. */
export const SDK_VERSIONS: readonly SdkVersion[] = [
  { version: '1.15.0', lists: 'repeated', make: (config) => new Client(config) },
  { version: '1.12.1', lists: 'repeated', make: (config) => new Client1x12(config) as unknown as Client },
  { version: '2.0.0', lists: 'json', make: (config) => new Client2x0(config) as unknown as Client },
];

interface SentRequest {
  readonly method: string;
  /** Path with query, without the address. */
  readonly path: string;
  readonly headers: Headers;
}

export interface SdkUser {
  readonly client: Client;
  /** The same person without the official client. */
  readonly http: HttpClient;
  /** What the client sent, oldest first. */
  readonly sent: SentRequest[];
  /** Runs on the next answers instead of handing them on as they are; `undefined` ends that. */
  through(change: ((response: Response) => Response) | undefined): void;
}

/** A new account whose cookies the client sends. */
export async function openSdkUser(
  service: ServedService,
  { make }: SdkVersion,
  name?: string,
): Promise<SdkUser> {
  const http = await service.user(name);
  const { cookies } = http;
  const sent: SentRequest[] = [];
  let change: ((response: Response) => Response) | undefined;
  const recording: typeof fetch = async (input, init) => {
    const { pathname, search } = new URL(String(input));
    sent.push({
      method: init?.method ?? 'GET',
      path: pathname + search,
      headers: new Headers(init?.headers),
    });
    const response = await fetch(input, init);
    return change === undefined ? response : change(response);
  };
  const client = make({
    apiUrl: `${service.server.url}/api/graph`,
    apiKey: null,
    defaultHeaders: {
      cookie: [...cookies].map(([key, value]) => `${key}=${value}`).join('; '),
      'x-csrf-token': cookies.get('csrf_token') ?? '',
    },
    callerOptions: { fetch: recording },
  });
  return {
    client,
    http,
    sent,
    through: (next) => {
      change = next;
    },
  };
}

/** One human message as the SDK's users write it. */
export function ask(content: string): { messages: { type: string; content: string }[] } {
  return { messages: [{ type: 'human', content }] };
}

export async function collected<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const parts: T[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

/** Resolves when the run has said its first words. */
export async function untilWords(
  { client }: SdkUser,
  { thread_id, run_id }: { readonly thread_id: string; readonly run_id: string },
): Promise<void> {
  const leave = new AbortController();
  const options = { signal: leave.signal, streamMode: 'messages-tuple' } as const;
  for await (const { event } of client.runs.joinStream(thread_id, run_id, options)) {
    if (event === 'messages') leave.abort();
  }
}

/** The state that the tests look at. */
export interface State {
  readonly messages: readonly { readonly id: string; readonly type: string; readonly content: string }[];
  readonly title?: string;
  readonly [key: string]: unknown;
}

export function textsOf({ messages }: State): string[] {
  return messages.map(({ type, content }) => `${type}: ${content}`);
}
