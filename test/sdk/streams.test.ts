// Streams that are joined, left and come back to, as the official client reads them.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answer } from '../support/model-server/answer.ts';
import { step } from '../support/model-server/step.ts';
import { openServedService, type ServedService } from '../websocket/served.ts';
import { ask, collected, openSdkUser, SDK_VERSIONS, type SdkUser, type State } from './official-client.ts';

const AGENT = 'lead_agent';
const HEARTBEAT = ':\n';

let service: ServedService;
beforeAll(async () => {
  service = await openServedService();
});
afterAll(() => service.close());

/** The text that message chunks add up to. */
function said(parts: readonly { readonly event: string; readonly data: unknown }[]): string {
  return parts
    .filter(({ event }) => event === 'messages')
    .map(({ data }) => (data as State['messages'])[0]?.content ?? '')
    .join('');
}

/** The answer is cut off after so many pieces, as by a connection that breaks. */
function cutAfter(pieces: number): (response: Response) => Response {
  return (response) => {
    if (!(response.headers.get('content-type') ?? '').includes('event-stream')) return response;
    let left = pieces;
    const body = response.body?.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          if (left-- > 0) controller.enqueue(chunk);
          else controller.error(new TypeError('terminated'));
        },
      }),
    );
    return new Response(body ?? null, { headers: response.headers });
  };
}

/** The line of a heartbeat after every frame, as it comes in silence. */
function withHeartbeats(response: Response): Response {
  const decoder = new TextDecoder();
  const body = response.body?.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        const text = decoder.decode(chunk, { stream: true });
        controller.enqueue(new TextEncoder().encode(text.replaceAll('\n\n', `\n\n${HEARTBEAT}`)));
      },
    }),
  );
  return new Response(body ?? null, { headers: response.headers });
}

describe.each(SDK_VERSIONS)('streams with SDK $version', (version) => {
  let user: SdkUser;
  let threadId: string;
  beforeEach(async () => {
    service.model.reset();
    user = await openSdkUser(service, version);
    threadId = (await user.client.threads.create()).thread_id;
  });

  it('[sdk.streams.join] replays a run from -1, from an event on, and live from its middle', async () => {
    const { runs } = user.client;
    const gate = Promise.withResolvers<void>();
    service.model.enqueue(
      answer.script(
        step.text('one '),
        step.until(gate.promise),
        step.text('two'),
        step.finish(),
        step.done(),
      ),
    );
    const run = await runs.create(threadId, AGENT, {
      input: ask('hi'),
      streamMode: ['values', 'messages-tuple'],
      streamResumable: true,
    });
    const live = collected(runs.joinStream(threadId, run.run_id, { lastEventId: '-1' }));
    gate.resolve();
    const whole = await live;
    expect([whole[0]?.event, whole.at(-1)?.event]).toEqual(['metadata', 'end']);
    expect(said(whole)).toBe('one two');
    expect(await collected(runs.joinStream(threadId, run.run_id, { lastEventId: '-1' }))).toEqual(whole);
    expect(await collected(runs.joinStream(threadId, run.run_id))).toEqual(whole);
    for (const [index, { id }] of whole.entries()) {
      const rest = await collected(runs.joinStream(threadId, run.run_id, { lastEventId: id ?? '' }));
      expect(rest).toEqual(whole.slice(index + 1));
    }
  });

  it('[sdk.streams.modes] shows a reader the modes that it names, in either form of a list', async () => {
    const { runs } = user.client;
    service.model.enqueue(answer.text('hello there'));
    const run = await runs.create(threadId, AGENT, { input: ask('hi'), streamMode: 'values' });
    await runs.join(threadId, run.run_id);
    const parts = await collected(
      runs.joinStream(threadId, run.run_id, { streamMode: ['updates', 'messages-tuple'] }),
    );
    expect(new Set(parts.map(({ event }) => event))).toEqual(
      new Set(['metadata', 'updates', 'messages', 'end']),
    );
    const sent = new URLSearchParams(user.sent.at(-1)?.path.split('?')[1]).getAll('stream_mode');
    expect(sent).toEqual(
      version.lists === 'repeated' ? ['updates', 'messages-tuple'] : ['["updates","messages-tuple"]'],
    );
    const one = await collected(runs.joinStream(threadId, run.run_id, { streamMode: 'updates' }));
    expect(new Set(one.map(({ event }) => event))).toEqual(new Set(['metadata', 'updates', 'end']));
  });

  it('[sdk.streams.messages] shows messages as wholes, and in the middle of one what was written before', async () => {
    const { runs } = user.client;
    service.model.enqueue(answer.text('hello there'));
    const parts = await collected(runs.stream(threadId, AGENT, { input: ask('hi'), streamMode: 'messages' }));
    const of = (name: string) =>
      parts.filter(({ event }) => event === name).map(({ data }) => data as State['messages']);
    expect(of('messages/partial').at(-1)).toMatchObject([{ type: 'ai', content: 'hello there' }]);
    expect(
      of('messages/complete')
        .flat()
        .map(({ content }) => content),
    ).toEqual(['hi', 'hello there']);
  });

  it('[sdk.streams.reconnect] a broken stream continues by itself, with each event once', async () => {
    const { runs } = user.client;
    const gate = Promise.withResolvers<void>();
    service.model.enqueue(
      answer.script(
        ...['a ', 'b ', 'c '].map(step.text),
        step.until(gate.promise),
        ...['d ', 'e'].map(step.text),
        step.finish(),
        step.done(),
      ),
    );
    user.through((response) => {
      user.through((next) => {
        user.through(undefined);
        gate.resolve();
        return next;
      });
      return cutAfter(1)(response);
    });
    const parts = await collected(
      runs.stream(threadId, AGENT, { input: ask('hi'), streamMode: ['values', 'messages-tuple'] }),
    );
    expect(said(parts)).toBe('a b c d e');
    const ids = parts.map((part) => ('id' in part ? part.id : undefined));
    expect(new Set(ids).size).toBe(parts.length);
    expect(parts.at(-1)?.event).toBe('end');
    const [run] = await runs.list(threadId);
    const [post, again] = user.sent.filter(({ path }) => path.includes('/stream'));
    expect(post).toMatchObject({ method: 'POST', path: `/api/graph/threads/${threadId}/runs/stream` });
    expect(again?.path).toBe(`/api/graph/threads/${threadId}/runs/${run?.run_id}/stream`);
    expect(again?.headers.get('last-event-id')).toMatch(/^\d+-\d+-[0-9a-f]{8}$/);
    expect(await runs.list(threadId)).toHaveLength(1);
  });

  it('[sdk.streams.quiet] heartbeats are no events, and after the end nothing is asked any more', async () => {
    const { runs } = user.client;
    service.model.enqueue(answer.text('hello there'));
    const whole = await collected(
      runs.stream(threadId, AGENT, { input: ask('hi'), streamMode: ['values', 'messages-tuple'] }),
    );
    expect(user.sent.map(({ method }) => method)).toEqual(['POST', 'POST']);
    const [run] = await runs.list(threadId);
    user.through(withHeartbeats);
    const beaten = await collected(runs.joinStream(threadId, run?.run_id ?? ''));
    expect(beaten).toEqual(whole);
  });

  it('[sdk.streams.error] a failed run streams error, then end', async () => {
    service.model.enqueue(answer.unauthorized());
    const parts = await collected(
      user.client.runs.stream(threadId, AGENT, { input: ask('hi'), streamMode: 'values' }),
    );
    expect(parts.slice(-2)).toMatchObject([
      { event: 'error', data: { error: 'ModelError', message: expect.any(String) } },
      { event: 'end', data: {} },
    ]);
  });

  it('[sdk.streams.limit] a run that takes too many steps fails as GraphRecursionError', async () => {
    const call = answer.toolCalls([
      { name: 'list_files', args: { description: 'look', path: '/mnt/user-data/workspace' } },
    ]);
    service.model.onRequest(() => call);
    const waiting = user.client.runs.wait(threadId, AGENT, {
      input: ask('loop'),
      config: { recursion_limit: 4 },
    });
    await expect(waiting).rejects.toThrow(/^GraphRecursionError: /);
    expect((await user.client.threads.get(threadId)).status).toBe('error');
  });
});
