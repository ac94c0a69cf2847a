// A way to a Postgres server that breaks when a test says so, at the worst moment.
import { connect, createServer, type Socket } from 'node:net';

/** What breaks the connection: `commit` before it arrives, or the server's answer to it. */
type Loss = 'commit' | 'answer to commit';

export interface LossyProxy {
  readonly url: string;
  /** Breaks the next connection that commits, once; `then` is called as it does. */
  lose(what: Loss, then?: () => void): void;
  losses(): number;
  /** Takes connections, and nothing comes through any of them until `up`. */
  stall(): void;
  /** Breaks every connection and takes no new one until `up`. */
  down(): void;
  up(): void;
  close(): Promise<void>;
}

export async function openLossyProxy(target: string): Promise<LossyProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let armed: Loss | undefined;
  let losses = 0;
  let onLoss = (): void => {};
  let isDown = false;
  let isStalled = false;

  const server = createServer((client) => {
    if (isDown) {
      client.destroy();
      return;
    }
    const upstream = connect(Number(port || 5432), hostname);
    const cut = () => {
      losses += 1;
      client.destroy();
      upstream.destroy();
      onLoss();
    };
    let cutOnAnswer = false;
    client.on('data', (bytes) => {
      const commits = armed !== undefined && bytes.includes('commit\0');
      const loss = commits ? armed : undefined;
      if (commits) armed = undefined;
      if (loss === 'commit') {
        cut();
        return;
      }
      cutOnAnswer = loss === 'answer to commit';
      upstream.write(bytes);
    });
    upstream.on('data', (bytes) => {
      if (cutOnAnswer) cut();
      else client.write(bytes);
    });
    for (const [socket, peer] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      if (isStalled) socket.pause();
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        peer.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  const url = new URL(target);
  url.host = `127.0.0.1:${address.port}`;
  return {
    url: url.href,
    lose: (what, then = () => {}) => {
      armed = what;
      onLoss = then;
    },
    losses: () => losses,
    stall: () => {
      isStalled = true;
      for (const socket of sockets) socket.pause();
    },
    down: () => {
      isDown = true;
      isStalled = false;
      for (const socket of sockets) socket.destroy();
    },
    up: () => {
      isDown = false;
      isStalled = false;
      for (const socket of sockets) socket.resume();
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
