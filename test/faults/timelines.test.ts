// A client that has seen events which a restored database lacks: it gets a gap, and never a splice of both
// timelines.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isTerminal, type ProtocolEventJson } from '../protocol/events-of.ts';
import { SDK_VERSIONS } from '../sdk/official-client.ts';
import { allFrames, type TestFrame } from '../support/sse.ts';
import { connect, type SocketFrame } from '../websocket/socket-client.ts';
import { receive } from './fault-service.ts';
import {
  type LostAnswer,
  protocolEvents,
  type RestoredService,
  startRestoredService,
  WHOLE,
} from './restored-service.ts';

let service: RestoredService;
beforeAll(async () => {
  service = await startRestoredService();
});
afterEach(() => service.model.reset());
afterAll(() => service.remove());

const placeOf = (id: string): number => Number(id.split('-')[0]);
const lastId = (frames: readonly { readonly id: string }[]): string => frames.at(-1)?.id ?? '';

/** Returns the reply as a client sees it that joins its chunks, as the SDK does. */
function shownText(frames: readonly TestFrame[]): string {
  const texts = new Map<string, string>();
  for (const { event, data } of frames) {
    if (event !== 'messages') continue;
    const [message] = data as [{ id: string; type: string; content?: string }];
    if (message.type === 'remove') texts.delete(message.id);
    else if (message.type === 'AIMessageChunk')
      texts.set(message.id, (texts.get(message.id) ?? '') + message.content);
  }
  return [...texts.values()].join('|');
}

function gapOf({ runId, seen }: LostAnswer, keptThrough: unknown) {
  return {
    event: 'gap',
    id: lastId(seen),
    data: {
      code: 'stream_replaced',
      run_id: runId,
      requested_event_id: lastId(seen),
      kept_through: keptThrough,
      recovery: 'reload_state',
    },
  };
}

/** Checks for the gap, followed by the part of the current run that the client lacks. */
function expectTold(lost: LostAnswer, told: readonly TestFrame[], whole: readonly TestFrame[]): void {
  const [gap, ...rest] = told;
  const { kept_through: through } = (gap?.data ?? {}) as { kept_through: number };
  expect(gap).toEqual(gapOf(lost, through));
  const kept = lost.seen.filter(({ id }) => placeOf(id) <= through);
  expect([...kept, ...rest]).toEqual(whole);
  expect(shownText([...kept, ...rest])).toBe(WHOLE);
  expect(rest.filter(({ event }) => event === 'gap')).toEqual([]);
}

async function bySocket({ threadId, runId, seen }: LostAnswer): Promise<readonly TestFrame[]> {
  const { client, process } = service;
  const url = `${process.url}/api/graph/threads/${threadId}/runs/stream`;
  const socket = await connect({ url, client });
  socket.send({ join: runId, last_event_id: lastId(seen), csrf_token: client.cookies.get('csrf_token') });
  expect((await socket.closed).code).toBe(1000);
  return (socket.received as readonly SocketFrame[]).map(({ id, ...frame }) => ({ ...frame, id: id ?? '' }));
}

async function bySdk(
  { make }: (typeof SDK_VERSIONS)[number],
  { threadId, runId, seen }: LostAnswer,
): Promise<readonly TestFrame[]> {
  const { cookies } = service.client;
  const sdk = make({
    apiUrl: `${service.process.url}/api/graph`,
    apiKey: null,
    defaultHeaders: { cookie: [...cookies].map(([key, value]) => `${key}=${value}`).join('; ') },
  });
  const frames: TestFrame[] = [];
  const stream = sdk.runs.joinStream(threadId, runId, { lastEventId: lastId(seen) });
  for await (const { event, data, id = '' } of stream) frames.push({ event, data, id });
  return frames;
}

const comingBack = ({ path, seen }: LostAnswer): Promise<Response> =>
  service.client.get(path, { 'last-event-id': lastId(seen) });

const bySse = async (lost: LostAnswer): Promise<readonly TestFrame[]> => allFrames(await comingBack(lost));

/** Reads to the end of the run. */
async function protocolSince(
  { threadId }: LostAnswer,
  since?: number,
): Promise<readonly ProtocolEventJson[]> {
  const eventOf = ({ data }: TestFrame) => data as ProtocolEventJson;
  const stream = await protocolEvents(service.client, threadId, since);
  return (await receive(stream, (frames) => frames.map(eventOf).some(isTerminal))).map(eventOf);
}

describe.each([
  ['whose end is lost', undefined],
  ['of which a whole epoch is lost', 'killed'],
] as const)('an answer %s', (_what, killed) => {
  let lost: LostAnswer;
  let whole: readonly TestFrame[];
  /** The frames of a client that reconnects before the reply is rewritten, and stays. */
  let live: readonly TestFrame[];
  beforeAll(async () => {
    lost = await service.loseAnswer(killed);
    const staying = await comingBack(lost);
    lost.goOn();
    live = await allFrames(staying);
    whole = await allFrames(await service.client.get(lost.path));
  }, 120_000);

  it('[runs.epochs.returns] differs from the position on up to which the database is intact', () => {
    const shared = whole.findIndex(({ id }, index) => id !== lost.seen[index]?.id);
    expect(shared).toBeGreaterThan(0);
    expect(shared).toBeLessThan(lost.seen.length);
    // A client that only counts would continue without notice: the run has more events than were lost.
    expect(placeOf(lastId(whole))).toBeGreaterThan(placeOf(lastId(lost.seen)));
    expect(shownText(whole)).toBe(WHOLE);
  });

  it('[runs.epochs.returns] over Server-Sent Events, while it is rewritten and later', async () => {
    expectTold(lost, live, whole);
    expect(await bySse(lost)).toEqual(live);
  });

  it('[runs.epochs.returns] over a WebSocket', async () => {
    expectTold(lost, await bySocket(lost), whole);
  });

  it.each(SDK_VERSIONS)('[runs.epochs.returns] with joinStream of SDK $version', async (version) => {
    expectTold(lost, await bySdk(version, lost), whole);
  });

  it('[protocol.epochs] with a number of Agent Protocol v2: the client is notified, and gets the run from its start', async () => {
    const now = await protocolSince(lost);
    const [notice, ...rest] = await protocolSince(lost, lost.told.at(-1)?.seq);
    expect(notice).toMatchObject({
      method: 'custom',
      params: {
        namespace: [],
        data: {
          name: 'stream_replaced',
          payload: { type: 'stream_replaced', run_id: lost.runId, recovery: 'reload_state' },
        },
      },
    });
    expect(rest).toEqual(now);
    // A client that reconnects with the number of the notice gets the same without it.
    expect(await protocolSince(lost, notice?.seq)).toEqual(now);
  });

  it('[protocol.epochs] lost events and those that replaced them share neither ids nor numbers', async () => {
    const now = await protocolSince(lost);
    const ids = new Set(now.map(({ event_id: id }) => id));
    const gone = lost.told.filter(({ event_id: id }) => !ids.has(id));
    expect(gone.length).toBeGreaterThan(0);
    const numbers = new Set(now.map(({ seq }) => seq));
    expect(gone.filter(({ seq }) => numbers.has(seq))).toEqual([]);
    const kept = lost.told.filter(({ event_id: id }) => ids.has(id));
    expect(kept).toEqual(now.slice(0, kept.length));
    expect(await protocolSince(lost, kept.at(-1)?.seq)).toEqual(now.slice(kept.length));
  });

  it('[runs.epochs.returns] a client that left before the copy was made notices nothing', async () => {
    const [first] = lost.copied;
    const rest = await allFrames(await service.client.get(lost.path, { 'last-event-id': first?.id ?? '' }));
    expect(rest).toEqual(whole.slice(1));
  });

  it('[runs.epochs.returns] a client that leaves with the gap gets it again', async () => {
    const [gap] = await bySse(lost);
    const again = await service.client.get(lost.path, { 'last-event-id': gap?.id ?? '' });
    expectTold(lost, await allFrames(again), whole);
  });
});
