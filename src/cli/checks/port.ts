// Checks whether the service can listen on its address.
import { createServer } from 'node:net';
import type { HttpOptions } from '../../http/transport/http-options.ts';
import { type Finding, findingsOn } from '../finding.ts';
import type { DataHomeFinding } from './data-home.ts';

const { ok, problem } = findingsOn('address');

/** `holder` is the service that already runs on the data home and rightly uses the port. */
export async function checkPort(
  { host, port }: Pick<HttpOptions, 'host' | 'port'>,
  holder: DataHomeFinding['holder'],
): Promise<Finding> {
  const code = await listenFailure(host, port);
  const address = `${host}:${port}`;
  if (holder !== undefined) {
    const who = holder.pid === undefined ? 'A service' : `Process ${holder.pid}`;
    return ok(`${who} is running on this data home.`);
  }
  return code === undefined ? ok(`${address} is free.`) : explain(code, address);
}

function explain(code: string, address: string): Finding {
  switch (code) {
    case 'EADDRINUSE':
      return problem(`Another program listens on ${address}.`, 'Stop it, or set PORT to another number.');
    case 'EACCES':
      return problem(`This user is not allowed to listen on ${address}.`, 'Set PORT to a number above 1023.');
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return problem(
        `${address} is not an address of this machine.`,
        'Set HOST to 127.0.0.1 for this machine only, or 0.0.0.0 for all.',
      );
    default:
      return problem(`${address} cannot be listened on (${code}).`, 'Set HOST and PORT to others.');
  }
}

function listenFailure(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.name));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}
