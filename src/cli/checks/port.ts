// The address: can the service listen on it?
import { createServer } from 'node:net';
import type { HttpOptions } from '../../http/transport/http-options.ts';
import type { Finding } from '../finding.ts';
import type { DataHomeFinding } from './data-home.ts';

/** `holder` is the service that is already running on the data home, whose port is rightly taken. */
export async function checkPort(
  { host, port }: Pick<HttpOptions, 'host' | 'port'>,
  holder: DataHomeFinding['holder'],
): Promise<Finding> {
  const code = await listenFailure(host, port);
  const address = `${host}:${port}`;
  if (code === undefined && holder === undefined) {
    return { verdict: 'ok', subject: 'address', message: `${address} is free.` };
  }
  if (holder !== undefined) {
    const who = holder.pid === undefined ? 'A service' : `Process ${holder.pid}`;
    return { verdict: 'ok', subject: 'address', message: `${who} is running on this data home.` };
  }
  return { verdict: 'problem', subject: 'address', ...explain(code ?? '', address) };
}

function explain(code: string, address: string): { readonly message: string; readonly fix: string } {
  switch (code) {
    case 'EADDRINUSE':
      return {
        message: `Another program listens on ${address}.`,
        fix: 'Stop it, or set PORT to another number.',
      };
    case 'EACCES':
      return {
        message: `This user may not listen on ${address}.`,
        fix: 'Set PORT to a number above 1023.',
      };
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return {
        message: `${address} is not an address of this machine.`,
        fix: 'Set HOST to 127.0.0.1 for this machine only, or 0.0.0.0 for all.',
      };
    default:
      return { message: `${address} cannot be listened on (${code}).`, fix: 'Set HOST and PORT to others.' };
  }
}

function listenFailure(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.name));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}
