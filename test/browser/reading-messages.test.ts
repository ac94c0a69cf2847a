// How the app reads what the service sends: messages into turns, errors into sentences, times into words.
import { describe, expect, it } from 'vitest';
import { requestErrorOf } from '../../web/src/api/service-error.ts';
import { safeNext } from '../../web/src/auth/safe-next.ts';
import { runProblemOf } from '../../web/src/conversation/reply-end.ts';
import { createTurnReader } from '../../web/src/conversation/turns.ts';
import { periodOf, relativeTime } from '../../web/src/ui/relative-time.ts';

const human = { type: 'human', id: 'h', content: 'hello' };
const ai = { type: 'ai', id: 'a', content: 'hi', tool_calls: [], additional_kwargs: {} };

describe('turns', () => {
  const read = createTurnReader();

  it('[web.messages] groups everything that the agent did below the message that requested it', () => {
    const call = { type: 'tool_call', id: 'c', name: 'ls', args: { path: '/' } };
    const turns = read([
      human,
      { ...ai, id: 'a1', tool_calls: [call] },
      { type: 'tool', id: 't', tool_call_id: 'c', name: 'ls', content: 'nothing', status: 'error' },
      {
        ...ai,
        id: 'a2',
        content: [
          { type: 'text', text: 'emp' },
          { type: 'text', text: 'ty' },
        ],
      },
      { ...human, id: 'h2' },
    ]);
    expect(turns.map((turn) => turn.steps.map((step) => step.text))).toEqual([['hi', 'empty'], []]);
    expect(turns[0]?.results.get('c')).toMatchObject({ status: 'error', text: 'nothing' });
  });

  it('[web.messages] reuses a turn with equal contents, and no other', () => {
    const call = { type: 'tool_call', id: 'c', name: 'ls', args: { path: '/', deep: { n: [1, 2] } } };
    const list = (path: string, answer: string) => [
      { ...human },
      { ...ai, tool_calls: [{ ...call, args: { ...call.args, path } }] },
      { type: 'tool', id: 't', tool_call_id: 'c', name: 'ls', content: answer },
      { ...human, id: 'h2' },
    ];
    const first = read(list('/', 'a'));
    const again = read(structuredClone(list('/', 'a')));
    expect(again.map((turn, index) => turn === first[index])).toEqual([true, true]);
    expect(read(list('/', 'b'))[0]).not.toBe(first[0]);
    expect(read(list('/x', 'b'))[0]?.steps[0]?.calls[0]?.args.path).toBe('/x');
  });

  it('[web.messages] omits unknown shapes instead of failing', () => {
    expect(
      read([null, 'text', { type: 'system', content: 'x' }, { type: 'ai', content: 7 }, human]),
    ).toMatchObject([{ id: 'h', steps: [] }]);
  });

  it('[web.question] reads the options of a question, plain or labelled', () => {
    const options = ['red', { label: 'Blue', value: 'blue' }, { label: 'Green' }];
    const artifact = { human_input: { question: 'Which?', options } };
    const [turn] = read([human, { type: 'tool', id: 't', tool_call_id: 'c', content: '?', artifact }]);
    expect(turn?.results.get('c')?.question?.options.map((option) => option.value)).toEqual([
      'red',
      'blue',
      'Green',
    ]);
  });
});

describe('errors', () => {
  it('[web.error] shows the sentence of the service, in each of its shapes', async () => {
    const messages = await Promise.all(
      [
        { detail: 'Thread is busy' },
        { detail: { code: 'forbidden', message: 'Not for you' } },
        { detail: [{ loc: ['body'], msg: 'Too short', type: 'x' }] },
        'no JSON of ours',
      ].map(async (body) => (await requestErrorOf(Response.json(body, { status: 409 }))).message),
    );
    expect(messages).toEqual([
      'Thread is busy',
      'Not for you',
      'Too short',
      'The service responded with status 409.',
    ]);
  });

  it('[web.error] distinguishes a lost connection, an absent chat and a failed run', () => {
    expect(runProblemOf(new TypeError('Failed to fetch'))).toEqual({ kind: 'connection' });
    expect(runProblemOf(Object.assign(new Error('HTTP 404: {}'), { status: 404 }))).toEqual({
      kind: 'missing',
    });
    expect(runProblemOf(new Error('HTTP 409: {"detail":"Another run is active"}'))).toEqual({
      kind: 'failed',
      text: 'Another run is active',
    });
    expect(runProblemOf(undefined)).toBeUndefined();
  });
});

describe('addresses', () => {
  it('[web.sign-in.next] accepts paths of this app only', () => {
    expect(
      ['/threads/a?b=c', '//evil.example', '/\\evil.example', 'https://evil.example', 7].map(safeNext),
    ).toEqual(['/threads/a?b=c', undefined, undefined, undefined, undefined]);
  });
});

describe('times', () => {
  const now = new Date(2026, 10, 20, 12, 0);
  const minutesAgo = (minutes: number) => new Date(now.getTime() - minutes * 60_000);

  it('[web.threads] shows the age in a few characters', () => {
    expect([0, 5, 200].map((minutes) => relativeTime(minutesAgo(minutes), now))).toEqual(['now', '5m', '3h']);
  });

  it('[web.threads] groups by days that begin at midnight', () => {
    const hours = [1, 13, 24 * 3, 24 * 20, 24 * 90];
    expect(hours.map((hour) => periodOf(minutesAgo(hour * 60), now))).toEqual([
      'Today',
      'Yesterday',
      'Last 7 days',
      'Last 30 days',
      'Older',
    ]);
  });
});
