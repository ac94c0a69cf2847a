// The first token of a run while other streams go on: `node bench/first-token.ts [streams] [rounds]`.
import { startChild, startServer } from './child.ts';
import { keepOnCore, OTHERS_CORE, SERVER_CORE } from './cores.ts';
import type { PacedOrder } from './paced-client.ts';
import { quantile, readStream, startRun } from './run-client.ts';
import { type RunningService, startService } from './service.ts';

const RUNS = 40;
const RAMP_MS = 5_000;
/** Longer than all runs take. */
const STEADY_MS = 60_000;
/** More than the other streams read. */
const TOKENS = 10_000;

const [streams = '300', rounds = '2'] = process.argv.slice(2);
for (let round = 0; round < Number(rounds); round++) {
  const times = await firstTokens(Number(streams));
  const [median, p90] = [0.5, 0.9].map((at) => quantile(times, at).toFixed(0));
  console.log(`First token beside ${streams} streams: median ${median} ms, p90 ${p90} ms.`);
}

/** Milliseconds from the request to the first token, for one run after another. */
async function firstTokens(others: number): Promise<readonly number[]> {
  const { child: model, port } = await startServer('paced-model.ts');
  const service = await startService(port);
  const { headers, prefix, createsThreads } = service;
  const load = { streams: others, tokens: TOKENS, rampMs: RAMP_MS, steadyMs: STEADY_MS };
  const order: PacedOrder = { port: service.port, headers, prefix, createsThreads, ...load };
  const client = startChild('paced-client.ts', [JSON.stringify(order)], { serialization: 'advanced' });
  try {
    await client.message();
    keepOnCore(service.pid, SERVER_CORE);
    for (const { pid } of [model, client]) keepOnCore(pid, OTHERS_CORE);
    client.process.send({ go: true });
    await client.message();
    const times: number[] = [];
    for (let run = 0; run < RUNS; run++) times.push(await firstToken(service));
    return times;
  } finally {
    await client.end();
    await service.end();
    await model.end();
  }
}

async function firstToken(service: RunningService): Promise<number> {
  const begun = performance.now();
  const run = await startRun(service, 'Please write promptly: paced=3');
  const { readAt } = await readStream(service, run, { enough: ({ tokens }) => tokens > 0 });
  return readAt - begun;
}
