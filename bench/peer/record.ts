// Records what the peer sends in every scenario and stream mode: `node bench/peer/record.ts`.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createNumbering, type RecordedFrame, recordingText } from '../../test/peer/recording.ts';
import { asOpenAiSends, MODE_LISTS, SCENARIOS, type Scenario } from '../../test/peer/scenarios.ts';
import { startModelServer } from '../../test/support/model-server.ts';
import { allFrames } from '../../test/support/sse.ts';
import { startPeer } from '../peer.ts';

const model = await startModelServer();
const peer = await startPeer(Number(new URL(model.url).port), 'recorded-agents.mjs');
const installed = new URL('node_modules/@langchain/langgraph-api/package.json', import.meta.url);
const { name, version } = JSON.parse(readFileSync(installed, 'utf8')) as Record<string, string>;

const RECORDINGS = new URL('../../test/peer/recordings/', import.meta.url);
mkdirSync(RECORDINGS, { recursive: true });

async function post(path: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return fetch(`http://127.0.0.1:${peer.port}${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
}

/** The runs of a scenario on one new thread, with the ids numbered. */
async function recorded(
  { answers, runs }: Scenario,
  modes: readonly string[],
): Promise<readonly (readonly RecordedFrame[])[]> {
  model.reset();
  model.enqueue(...answers.map(asOpenAiSends));
  const thread = (await (await post('/threads', {})).json()) as { thread_id: string };
  const numbered = createNumbering();
  const streams: RecordedFrame[][] = [];
  for (const run of runs) {
    const frames = await allFrames(
      await post(`/threads/${thread.thread_id}/runs/stream`, {
        assistant_id: 'agent',
        stream_mode: modes,
        ...run,
      }),
    );
    streams.push(frames.map(({ event, data }) => numbered({ event, data }) as RecordedFrame));
  }
  return streams;
}

async function record(scenario: Scenario): Promise<void> {
  const recording: Record<string, readonly (readonly RecordedFrame[])[]> = {};
  for (const modes of MODE_LISTS) {
    recording[modes.join()] = await recorded(scenario, modes);
  }
  const text = recordingText(`${name} ${version}`, recording);
  writeFileSync(new URL(`${scenario.name}.json`, RECORDINGS), text);
  console.log(`${scenario.name}: ${Math.round(text.length / 1_024)} KB`);
}

for (const scenario of SCENARIOS) await record(scenario);
await peer.end();
await model.close();
