// The streams of runs beside what the peer sent for the same requests and the same model (docs/decisions/0014-peer-comparison.md).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HttpClient } from '../support/http-client.ts';
import { newThread, openTestService, streamed, type TestService } from '../support/service.ts';
import { type Comparison, compared } from './comparison.ts';
import { FIELD_DIFFERENCES, FRAME_DIFFERENCES, type RunRequest } from './differences.ts';
import { newestPartials } from './frame-changes.ts';
import { type RecordedFrame, readRecording } from './recording.ts';
import { asOpenAiSends, MODE_LISTS, SCENARIOS, type Scenario } from './scenarios.ts';
import { WORD_TOOLS } from './word-tools.ts';

type Runs = readonly (readonly RecordedFrame[])[];

let test: TestService;
let client: HttpClient;
beforeAll(async () => {
  test = await openTestService({ overrides: { tools: () => WORD_TOOLS } });
  client = await test.user();
});
afterAll(() => test.close());

/** The frames of the scenario's runs, from the service. */
async function ours({ answers, runs }: Scenario, modes: readonly string[]): Promise<Runs> {
  test.model.reset();
  test.model.enqueue(...answers.map(asOpenAiSends));
  const threadId = await newThread(client);
  const streams: RecordedFrame[][] = [];
  for (const run of runs)
    streams.push(
      await streamed(client, threadId, { assistant_id: 'lead_agent', stream_mode: modes, ...run }),
    );
  return streams;
}

const comparisons = new Map<string, readonly Comparison[]>();

/** The runs of the scenario beside the peer's; made once. */
async function comparisonOf(scenario: Scenario, modes: readonly string[]): Promise<readonly Comparison[]> {
  const key = `${scenario.name} ${modes.join()}`;
  const known = comparisons.get(key);
  if (known !== undefined) return known;
  const frames = await ours(scenario, modes);
  const peer = readRecording(scenario.name)[modes.join()] ?? [];
  expect(peer).toHaveLength(scenario.runs.length);
  const made = peer.map((run, index) => compared(run, frames[index] ?? [], scenario.runs[index]));
  comparisons.set(key, made);
  return made;
}

async function compareModes(scenario: Scenario, modes: readonly string[]): Promise<void> {
  const runs = await comparisonOf(scenario, modes);
  expect(runs.map(({ problems }) => problems)).toEqual(runs.map(() => []));
}

describe.each(SCENARIOS)('$name, as the peer streams it', (scenario) => {
  it('[peer.values] the state after every step', () => compareModes(scenario, ['values']));
  it('[peer.updates] what every node changed', () => compareModes(scenario, ['updates']));
  it('[peer.messages] messages while they are written', () => compareModes(scenario, ['messages-tuple']));
  it('[peer.messages.whole] messages as wholes while they grow', () => compareModes(scenario, ['messages']));
  it('[peer.custom] progress of tools', () => compareModes(scenario, ['custom']));
  it('[peer.events] the run, its steps, model calls and tool calls', () =>
    compareModes(scenario, ['events']));
  it('[peer.debug] steps and checkpoints with their times', () => compareModes(scenario, ['debug']));
  it('[peer.tasks] steps as they begin and end', () => compareModes(scenario, ['tasks']));
  it('[peer.checkpoints] every checkpoint', () => compareModes(scenario, ['checkpoints']));
  it('[peer.combined] frames of several modes in one order', async () => {
    const lists = MODE_LISTS.filter((modes) => modes.length > 1);
    for (const modes of lists) await compareModes(scenario, modes);
  });
});

describe('the comparison', () => {
  it('[peer.named] meets every difference that is named', async () => {
    const met = new Set<object>();
    const cases = SCENARIOS.flatMap((scenario) => MODE_LISTS.map((modes) => ({ scenario, modes })));
    for (const { scenario, modes } of cases) {
      const runs = await comparisonOf(scenario, modes);
      for (const difference of runs.flatMap((run) => [...run.met])) met.add(difference);
    }
    expect([...FRAME_DIFFERENCES, ...FIELD_DIFFERENCES].filter((it) => !met.has(it))).toEqual([]);
  });

  it('[peer.strict] notices a frame that is missing, out of order or one too many, in every mode', async () => {
    // Two streams of the peer that overtake one another.
    const ordered = MODE_LISTS.filter((modes) => modes.join() !== 'events,messages-tuple');
    for (const modes of ordered) {
      const { peer, frames: all, request } = await toolCall(modes);
      const frames = newestPartials(all);
      const isNoticed = (changed: readonly RecordedFrame[]) =>
        compared(peer, changed, request).problems.length > 0;
      expect(isNoticed(frames)).toBe(false);
      for (const [index, frame] of frames.entries()) {
        const missing = isNoticed(frames.toSpliced(index, 1));
        // A message may be shown as often as it grows.
        const mayRepeat = frame.event === 'messages/partial';
        const twice = mayRepeat || isNoticed(frames.toSpliced(index, 0, frame));
        const after = frames[index + 1];
        const swapped = after === undefined || isNoticed(frames.toSpliced(index, 2, after, frame));
        expect({ modes, index, missing, twice, swapped }).toMatchObject({
          missing: true,
          twice: true,
          swapped: true,
        });
      }
    }
  });

  it('[peer.strict.fields] notices a field that is gone', async () => {
    const { peer, frames } = await toolCall(['values', 'messages-tuple', 'updates', 'custom']);
    for (const key of [
      'run_id',
      'id',
      'content',
      'type',
      'tool_call_chunks',
      'tool_calls',
      'name',
      'status',
    ]) {
      const without = frames.map(({ event, data }) => ({
        event,
        data: JSON.parse(JSON.stringify(data, (name, value) => (name === key ? undefined : value))),
      }));
      expect([key, compared(peer, without).problems.length > 0]).toEqual([key, true]);
    }
  });
});

interface Pair {
  readonly peer: readonly RecordedFrame[];
  readonly frames: readonly RecordedFrame[];
  readonly request: RunRequest;
}

async function toolCall(modes: readonly string[]): Promise<Pair> {
  const scenario = SCENARIOS.find(({ name }) => name === 'tool-call');
  if (scenario === undefined) throw new Error('There is no such scenario.');
  const [peer = []] = readRecording(scenario.name)[modes.join()] ?? [];
  const [frames = []] = await ours(scenario, modes);
  return { peer, frames, request: scenario.runs[0] ?? {} };
}
