// Many streams at the pace of reading: how late each token is, and what the service needs for it on one core.
import { startChild, startServer } from './child.ts';
import type { Contender } from './contender.ts';
import { keepOnCore, OTHERS_CORE, SERVER_CORE } from './cores.ts';
import type { PacedOrder, PacedResult } from './paced-client.ts';
import { cpuMicroseconds, watchMemory } from './process-usage.ts';

export interface PacedFigures {
  readonly streams: number;
  readonly seconds: number;
  /** Whether the server had one core and model server and client the other. */
  readonly isPinned: boolean;
  readonly tokensPerSecond: number;
  /** Milliseconds from the model's sending of a token to its arrival at the client. */
  readonly delayMedian: number;
  readonly delayP99: number;
  readonly delayP999: number;
  /** Share of the tokens that came within 100 ms. */
  readonly inTime: number;
  /** Shares of one core, all threads. */
  readonly busy: number;
  readonly modelBusy: number;
  readonly clientBusy: number;
  readonly peakMegabytes: number;
}

const IN_TIME_MS = 100;
const TOKENS_PER_SECOND = 30;

/** How the model server speaks: chat completions over HTTP or TLS, or Anthropic's protocol. */
export type Wire = 'http' | 'tls' | 'anthropic';

interface PacedLoad {
  readonly streams: number;
  readonly rampMs: number;
  readonly steadyMs: number;
  readonly wire?: Wire;
}

export async function measurePacedStreams(
  { wire = 'http', ...wanted }: PacedLoad,
  start: (modelPort: number, options: { readonly wire: Wire }) => Promise<Contender>,
): Promise<PacedFigures> {
  const model = await startServer('paced-model.ts', [wire]);
  const contender = await start(model.port, { wire });
  const { port, headers, prefix, createsThreads, pid } = contender;
  // More than are read: no run ends while it is measured.
  const tokens = Math.ceil(((wanted.rampMs + wanted.steadyMs) / 1_000 + 60) * TOKENS_PER_SECOND);
  const order: PacedOrder = { port, headers, prefix, createsThreads, tokens, ...wanted };
  const client = startChild('paced-client.ts', [JSON.stringify(order)], { serialization: 'advanced' });
  try {
    await client.message();
    const isPinned = [
      keepOnCore(pid, SERVER_CORE),
      keepOnCore(model.child.pid, OTHERS_CORE),
      keepOnCore(client.pid, OTHERS_CORE),
    ].every((it) => it);
    const memory = watchMemory(pid);
    client.process.send({ go: true });
    await client.message();
    const pids = [pid, model.child.pid, client.pid];
    const before = pids.map(cpuMicroseconds);
    const result = toResult(await client.message());
    const [busy = 0, modelBusy = 0, clientBusy = 0] = pids.map(
      (it, index) => (cpuMicroseconds(it) - (before[index] ?? 0)) / 1e6 / result.seconds,
    );
    return {
      streams: result.open,
      seconds: result.seconds,
      isPinned,
      ...delayFigures(result),
      busy,
      modelBusy,
      clientBusy,
      peakMegabytes: memory.stop(),
    };
  } finally {
    await client.end();
    await model.child.end();
    await contender.end();
  }
}

function delayFigures({ delays, seconds }: PacedResult) {
  const at = (share: number) => delays[Math.min(delays.length - 1, Math.floor(delays.length * share))] ?? 0;
  const late = delays.findIndex((it) => it > IN_TIME_MS);
  return {
    tokensPerSecond: delays.length / seconds,
    delayMedian: at(0.5),
    delayP99: at(0.99),
    delayP999: at(0.999),
    inTime: late === -1 ? 1 : late / delays.length,
  };
}

function toResult(message: unknown): PacedResult {
  if (typeof message === 'object' && message !== null && 'delays' in message) return message as PacedResult;
  throw new Error('The client of the paced streams did not tell a result.');
}
