// Connects to one tool server, whatever it speaks.
import {
  type AuthProvider,
  Client,
  SdkError,
  SdkErrorCode,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { talkWithProcess } from '../../processes/talk-process.ts';
import { ServerFailure } from '../server-failure.ts';
import type { ToolServer } from '../tool-server.ts';
import { Connection } from './connection.ts';
import { failureOf } from './failure-of.ts';
import { limitedFetch } from './limited-fetch.ts';
import { PROGRAM_LIMITS, type ProgramParts, programOf } from './stdio-server.ts';
import { StdioTransport } from './stdio-transport.ts';

export interface ConnectionParts extends ProgramParts {
  /** The account of a user at a server; `undefined`: it has none. */
  readonly authOf: (userId: string, server: ToolServer) => AuthProvider | undefined;
  readonly fetch: typeof fetch;
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
  const opened = await transportTo(parts, server, userId);
  const client = new Client(CLIENT, {
    capabilities: { elicitation: { form: { applyDefaults: true } } },
    // What lists and results hold is checked by us, with limits.
    listMaxPages: 1,
  });
  const connection = new Connection({ client, server, ended: opened.ended });
  try {
    const timeout = server.entry.session_init_timeout * 1_000;
    // The limit of the library is for one request: neither for a stream that says nothing nor for a notification.
    await within(client.connect(opened.transport, { timeout }), timeout, signal);
    return connection;
  } catch (error) {
    // What is known now: being ended is no reason.
    const failure = failureOf(error, { server: server.name, doing: 'connecting', ...opened.said() });
    await connection.close();
    await opened.transport.close().catch(() => {});
    throw failure;
  }
}

/** Rejects when the time is over or the signal is aborted; what comes of the work later is nobody's. */
async function within(work: Promise<void>, ms: number, signal: AbortSignal): Promise<void> {
  const { promise: given, reject } = Promise.withResolvers<never>();
  const cancel = () => reject(new ServerFailure('cancelled', 'The connection is not needed any more.'));
  const late = () => reject(new SdkError(SdkErrorCode.RequestTimeout, 'The server was not ready in time.'));
  const timer = setTimeout(late, ms);
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();
  try {
    await Promise.race([work, given]);
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
  const options = {
    requestInit: { headers: { ...headers } },
    fetch: limitedFetch(parts.fetch),
    ...(authProvider === undefined ? {} : { authProvider }),
  };
  const address = URL.parse(url);
  if (address === null) {
    throw new ServerFailure('unreachable', `The address of the tool server '${server.name}' is not valid.`);
  }
  const transport =
    type === 'sse'
      ? new SSEClientTransport(address, options)
      : new StreamableHTTPClientTransport(address, options);
  return { transport, ended: new Promise(() => {}), said: () => ({}) };
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
