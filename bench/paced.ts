// Paced streams alone: `node bench/paced.ts [streams] [http | tls | anthropic] [rounds] [service | pass-through]`.
// `DATABASE_URL` names another database for the service. It must be empty, so measure one round.
import { startPassThrough } from './contender.ts';
import { measurePacedStreams, type PacedFigures, type Wire } from './paced-streams.ts';
import { startService } from './service.ts';

const WIRES: readonly Wire[] = ['http', 'tls', 'anthropic'];
const LOAD = { rampMs: 6_000, steadyMs: 8_000 };

const [streams = '500', given = 'http', rounds = '3', server = 'service'] = process.argv.slice(2);
const wire = WIRES.find((it) => it === given);
if (wire === undefined) throw new Error(`The model server speaks ${WIRES.join(', ')}, not ${given}.`);
const start = { service: startService, 'pass-through': startPassThrough }[server];
if (start === undefined) throw new Error(`The server is service or pass-through, not ${server}.`);
for (let round = 0; round < Number(rounds); round++)
  console.log(lineOf(await measurePacedStreams({ streams: Number(streams), wire, ...LOAD }, start)));

function lineOf({ inTime, delayMedian, delayP99, busy }: PacedFigures): string {
  const delays = `p50 ${delayMedian.toFixed(0)} ms, p99 ${delayP99.toFixed(0)} ms`;
  return `${(inTime * 100).toFixed(1)} % within 100 ms; ${delays}; ${busy.toFixed(2)} of the core`;
}
