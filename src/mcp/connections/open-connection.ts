// Connects to one tool server, whatever it speaks.
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
import { failureOf } from './failure-of.ts';
import { AddressRefused, createCheckedFetch, limitedFetch, serverAddresses } from './server-fetch.ts';
import { PROGRAM_LIMITS, type ProgramParts, programOf } from './stdio-server.ts';
import { StdioTransport } from './stdio-transport.ts';

export interface ConnectionParts extends ProgramParts {
  /** The account of a user at a server; `undefined`: it has none. */
  readonly authOf: (userId: string, server: ToolServer) => ServerAccount | undefined;
  readonly resolve: Resolve;
}

const CLIENT = { name: 'agent-service', version: '2.0.0' };

/**
 * Resolves when the server is ready, within its `session_init_timeout`; rejects with `ServerFailure`, and nothing of it is
 * left then. The signal ends the attempt.
 */
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
    // Without `applyDefaults`: with it the library writes defaults into the prototype of all objects where a server says so.
    capabilities: { elicitation: { form: {} } },
    // What lists and results hold is checked by us, with limits.
    listMaxPages: 1,
  });
  const connection = new Connection({ client, server, ended: opened.ended });
  try {
    // The limit of the library is for one request: neither for a stream that says nothing nor for a notification.
    await within(client.connect(opened.transport, { timeout: limits.ms }), limits);
    return connection;
  } catch (error) {
    // What is known now: being ended is no reason.
    const failure = failureOf(error, { server, doing: 'connecting', ...opened.said() });
    await connection.close();
    await opened.transport.close().catch(() => {});
    throw failure;
  }
}

/** Rejects when the time is over or the signal is aborted; later results are discarded. */
async function within<Made>(
  work: Promise<Made>,
  { ms, signal }: { readonly ms: number; readonly signal: AbortSignal },
): Promise<Made> {
  const { promise: given, reject } = Promise.withResolvers<never>();
  const cancel = () => reject(new ServerFailure('cancelled', 'The connection is not needed any more.'));
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
  /** What is known of a failure beside its error. */
  readonly said: () => { readonly reason?: string; readonly details?: string };
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

/** Each request asks again; what one of them fails with, the library would say in its own words. */
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
  const said = () => ({ ...(reason === undefined ? {} : { reason }), details: transport.lastWords() });
  return { transport, ended, said };
}
