// A proxy to a Postgres server that breaks on request, at the worst moment.
import { connect, createServer, type Socket } from 'node:net';

/** Breaks the connection before the `commit` arrives, or before the server's response to it does. */
type Loss = 'commit' | 'answer to commit';

export interface LossyProxy {
  readonly url: string;
  /** Breaks the next connection that commits, once; `then` is called as it does. */
  lose(what: Loss, then?: () => void): void;
  losses(): number;
  /** Accepts connections, and forwards nothing on any of them until `up`. */
  stall(): void;
  /** Breaks every connection and accepts no new one until `up`. */
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
  const commits = createCommitWatch();

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
      const loss = commits.sees(bytes) ? armed : undefined;
      if (loss !== undefined) armed = undefined;
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

/** A flush of the run log may be one statement that commits itself. */
const FLUSH = 'insert into run_log';
const STATEMENT_NAME = /\d+_[\w-]{43}$/;

/** Detects the messages to the server that commit. A prepared flush is recognised by its name. */
function createCommitWatch() {
  const names = new Set<string>();
  return {
    sees(bytes: Buffer): boolean {
      const text = bytes.toString('latin1');
      const flush = text.indexOf(FLUSH);
      if (flush !== -1) {
        const [name] = STATEMENT_NAME.exec(text.slice(0, text.lastIndexOf('\0', flush))) ?? [];
        if (name !== undefined) names.add(name);
        return true;
      }
      return text.includes('commit\0') || [...names].some((name) => text.includes(name));
    },
  };
}
