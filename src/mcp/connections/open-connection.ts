// Connects to one tool server, over any transport.
import {
  Client,
  extractWWWAuthenticateParams,
  type FetchLike,
  SdkError,
  SdkErrorCode,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import type { Resolve } from '../../network/checked-host.ts';
import { talkWithProcess } from '../../processes/talk-process.ts';
import { ServerFailure } from '../server-failure.ts';
import type { ServerAccount, ToolServer } from '../tool-server.ts';
import { Connection } from './connection.ts';
import { failureOf, type Occasion } from './failure-of.ts';
import { AddressRefused, createCheckedFetch, limitedFetch, serverAddresses } from './server-fetch.ts';
import { PROGRAM_LIMITS, type ProgramParts, programOf } from './stdio-server.ts';
import { StdioTransport } from './stdio-transport.ts';

export interface ConnectionParts extends ProgramParts {
  /** Returns the account of a user at a server; `undefined` when there is none. */
  readonly authOf: (userId: string, server: ToolServer) => ServerAccount | undefined;
  readonly resolve: Resolve;
}

const CLIENT = { name: 'agent-service', version: '2.0.0' };

/** Resolves within `session_init_timeout`, or cleans up and rejects with `ServerFailure`. Can be aborted. */
export async function openConnection(
  parts: ConnectionParts,
  server: ToolServer,
  { userId, signal }: { readonly userId: string; readonly signal: AbortSignal },
): Promise<Connection> {
  if (server.problem !== undefined) throw new ServerFailure('unreachable', server.problem);
  const limits = { ms: server.entry.session_init_timeout * 1_000, signal };
  const opened = await within(transportTo(parts, server, userId), limits).catch((error: unknown) => {
    throw failureOf(error, { server, doing: 'connecting' });
  });
  const client = new Client(CLIENT, {
    // Without `applyDefaults`, by which a server could write defaults into the prototype of all objects.
    capabilities: { elicitation: { form: {} } },
    // The service itself checks the contents of lists and results, with limits.
    listMaxPages: 1,
  });
  const connection = new Connection({ client, server, ended: opened.ended });
  try {
    // The library's limit is for one request. It covers neither a silent stream nor a notification.
    await within(client.connect(opened.transport, { timeout: limits.ms }), limits);
    return connection;
  } catch (error) {
    // The reason is read before closing, because closing also ends the program.
    const failure = failureOf(error, { server, doing: 'connecting', ...opened.said() });
    await connection.close();
    await opened.transport.close().catch(() => {});
    throw failure;
  }
}

/** Rejects when the time is over or the signal aborts. Later results are discarded. */
async function within<Made>(
  work: Promise<Made>,
  { ms, signal }: { readonly ms: number; readonly signal: AbortSignal },
): Promise<Made> {
  const { promise: given, reject } = Promise.withResolvers<never>();
  const cancel = () => reject(new ServerFailure('cancelled', 'The connection is no longer needed.'));
  const late = () => reject(new SdkError(SdkErrorCode.RequestTimeout, 'The server was not ready in time.'));
  const timer = setTimeout(late, ms);
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();
  try {
    return await Promise.race([work, given]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', cancel);
  }
}

interface OpenedTransport {
  readonly transport: Transport;
  /** Resolves with the reason when a program has ended. */
  readonly ended: Promise<string>;
  /** What is known about a failure besides its error. */
  readonly said: () => Pick<Occasion, 'reason' | 'details'>;
}

async function transportTo(
  parts: ConnectionParts,
  server: ToolServer,
  userId: string,
): Promise<OpenedTransport> {
  if (server.entry.type === 'stdio') return stdioTransport(await programOf(server, userId, parts));
  const { url = '', headers, type } = server.entry;
  const authProvider = parts.authOf(userId, server);
  const checked = createCheckedFetch(parts.resolve);
  const options = {
    requestInit: { headers: { ...headers } },
    fetch: limitedFetch(authProvider ? scopesNoted(checked, authProvider) : checked),
    ...(authProvider === undefined ? {} : { authProvider }),
  };
  const address = URL.parse(url);
  if (address === null) {
    throw new ServerFailure('unreachable', `The address of the tool server '${server.name}' is not valid.`);
  }
  await requireAddress(server, address, parts.resolve);
  const transport =
    type === 'sse'
      ? new SSEClientTransport(address, options)
      : new StreamableHTTPClientTransport(address, options);
  return { transport, ended: new Promise(() => {}), said: () => ({}) };
}

/** RFC 6750, 3.1. */
function scopesNoted(innermost: FetchLike, account: ServerAccount): FetchLike {
  return async (url, init) => {
    const response = await innermost(url, init);
    if (response.status !== 403) return response;
    const { error, scope } = extractWWWAuthenticateParams(response);
    if (error === 'insufficient_scope' && scope !== undefined) await account.lacks(scope);
    return response;
  };
}

/** Checks the address first: each request checks again, but the library rewords its error. */
async function requireAddress({ name }: ToolServer, address: URL, resolve: Resolve): Promise<void> {
  try {
    await serverAddresses(address, resolve);
  } catch (error) {
    throw new ServerFailure(
      'unreachable',
      error instanceof AddressRefused
        ? `The tool server '${name}' is not connected to: ${error.message}.`
        : `The tool server '${name}' cannot be reached: its host name cannot be resolved.`,
    );
  }
}

function stdioTransport(program: Parameters<typeof talkWithProcess>[0]): OpenedTransport {
  const { promise: ended, resolve } = Promise.withResolvers<string>();
  let reason: string | undefined;
  const transport = new StdioTransport({
    start: (listener) => talkWithProcess(program, PROGRAM_LIMITS, listener),
    onEnd: (why) => {
      reason ??= why;
      resolve(reason);
    },
  });
  return { transport, ended, said: () => ({ reason, details: transport.lastWords() }) };
}
