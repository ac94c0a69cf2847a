// All failures of a provider, against a real HTTP server: kinds, sentences, retries, broken streams.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { backoffMs, DEFAULT_BACKOFF, retryAfterMs } from '../../src/models/calls/backoff.ts';
import type { ModelErrorKind } from '../../src/models/model.ts';
import { type Answer, answer } from '../support/model-server/answer.ts';
import { step } from '../support/model-server/step.ts';
import { type ModelServer, startModelServer } from '../support/model-server.ts';
import { modelError, type Outcome, outcomeOf, retriesOf, testModel } from './call.ts';

let server: ModelServer;

beforeAll(async () => {
  server = await startModelServer();
});
afterEach(() => server.reset());
afterAll(() => server.close());

const CANARY = 'sk-test-canary-key';

function everythingSaid(outcome: Outcome): string {
  const error = modelError(outcome);
  return JSON.stringify([error.message, error.stack, error.cause, retriesOf(outcome)]);
}

describe.each(['openai', 'openai-compatible'] as const)('%s', (provider) => {
  const model = () => testModel({ provider, base_url: server.url });

  describe('refusals', () => {
    const refusals: readonly { what: string; broken: Answer; kind: ModelErrorKind; words: string }[] = [
      {
        what: '401',
        broken: answer.unauthorized(),
        kind: 'model_error',
        words: "refused the API key of model 'test'",
      },
      {
        what: '402',
        broken: answer.status(402, { error: { message: 'Pay' } }),
        kind: 'model_error',
        words: 'no credit',
      },
      { what: '403', broken: answer.status(403, 'Forbidden'), kind: 'model_error', words: 'does not allow' },
      {
        what: '404',
        broken: answer.status(404, { error: { message: 'no such model' } }),
        kind: 'model_error',
        words: 'does not know the model',
      },
      {
        what: '400',
        broken: answer.status(400, { error: { message: 'bad tools' } }),
        kind: 'model_error',
        words: 'did not accept the request',
      },
      {
        what: '413',
        broken: answer.status(413, 'Payload too large'),
        kind: 'context_overflow',
        words: 'longer than model',
      },
      {
        what: 'context overflow',
        broken: answer.contextOverflow(),
        kind: 'context_overflow',
        words: 'longer than model',
      },
      {
        what: 'an empty account',
        broken: answer.status(429, {
          error: { message: 'You exceeded your current quota', code: 'insufficient_quota' },
        }),
        kind: 'rate_limited',
        words: 'used up its quota',
      },
    ];
    it.each(refusals)(
      '[models.error.kinds] $what fails immediately, with a sentence',
      async ({ broken, kind, words }) => {
        server.enqueue(broken);
        const outcome = await outcomeOf(model());
        expect(modelError(outcome)).toMatchObject({ kind });
        expect(modelError(outcome).message).toContain(words);
        expect(server.requests).toHaveLength(1);
      },
    );
  });

  describe('retries before the first token', () => {
    const passing: readonly [string, Answer][] = [
      ['429', answer.rateLimited()],
      ['408', answer.status(408, 'slow')],
      ['409', answer.status(409, 'conflict')],
      ['425', answer.status(425, 'early')],
      ['500', answer.serverError()],
      ['503', answer.serverError(503)],
      ['529', answer.overloaded()],
      ['a reset connection', answer.resetBeforeHeaders()],
    ];
    it.each(passing)(
      '[models.retry.before-first-token] %s is retried, and the reply arrives',
      async (_, broken) => {
        server.enqueue(broken, answer.text('at last'));
        const outcome = await outcomeOf(model());
        expect(outcome.error).toBeUndefined();
        expect(outcome.text).toBe('at last');
        expect(retriesOf(outcome)).toMatchObject([{ type: 'retry', attempt: 2, maxAttempts: 3 }]);
        expect(server.requests).toHaveLength(2);
      },
    );

    it('[models.retry.limit] [fault.F48] gives up after three attempts with the message of the last one', async () => {
      server.onRequest(() => answer.rateLimited());
      const outcome = await outcomeOf(model());
      expect(modelError(outcome).kind).toBe('rate_limited');
      expect(modelError(outcome).message).toContain('too many requests');
      expect(retriesOf(outcome).map((retry) => retry.attempt)).toEqual([2, 3]);
      expect(server.requests).toHaveLength(3);
    });

    it('[models.retry.retry-after] [fault.F47] waits as long as the provider requests', async () => {
      server.enqueue(answer.rateLimited('0.05'), answer.text('ok'));
      const outcome = await outcomeOf(model());
      expect(retriesOf(outcome)[0]?.waitMs).toBe(50);
      expect(outcome.text).toBe('ok');
    });

    it('[models.retry.before-first-token] never repeats a reply that has begun', async () => {
      server.enqueue(answer.breakMidStream('half an'), answer.text('never asked for'));
      const outcome = await outcomeOf(model());
      expect(outcome.text).toBe('half an');
      expect(modelError(outcome).kind).toBe('broken_stream');
      expect(server.requests).toHaveLength(1);
    });
  });

  describe('broken streams', () => {
    const broken: readonly [string, () => Answer, string][] = [
      ['ends without a finish', () => answer.endWithoutFinish('half'), 'half'],
      ['ends before it began', () => answer.script(), ''],
      ['breaks off', () => answer.breakMidStream('half'), 'half'],
      ['has an error event', () => answer.errorMidStream('half'), 'half'],
      ['holds a call with cut-off arguments', () => answer.truncatedToolJson(), ''],
      ['announces calls and makes none', () => answer.toolCallsWithoutCalls('half'), 'half'],
      ['has a call whose arguments are a list', () => answer.toolCalls([{ name: 'ls', args: [1] }]), ''],
      [
        'has an event that is no JSON',
        () => answer.script(step.text('half'), step.raw('data: {"choi\n\n')),
        'half',
      ],
    ];
    it.each(broken)('[models.error.broken-stream] [fault.F50] a reply that %s', async (_, make, text) => {
      server.onRequest(make);
      const outcome = await outcomeOf(model());
      expect(modelError(outcome).kind).toBe('broken_stream');
      expect(outcome.text).toBe(text);
      expect(outcome.finish).toBeUndefined();
    });

    it('[models.error.broken-stream] a reset in the middle of a reply', async () => {
      const gate = Promise.withResolvers<void>();
      server.enqueue(answer.breakMidStream('half', gate.promise));
      const outcome = await outcomeOf(model(), {}, () => gate.resolve());
      expect(outcome.text).toBe('half');
      expect(modelError(outcome).kind).toBe('broken_stream');
    });

    it('[models.error.broken-stream] never passes on a call without a name', async () => {
      const nameless = step.callPiece({ index: 0, id: 'c', name: '', args: '{}' });
      server.onRequest(() => answer.script(nameless, step.finish('tool_calls'), step.done()));
      const outcome = await outcomeOf(model());
      expect(modelError(outcome).kind).toBe('broken_stream');
      expect(outcome.finish).toBeUndefined();
    });
  });

  describe('secrets', () => {
    it('[models.error.no-secrets] no key, header, address or body is in the text of a failure', async () => {
      const body = `Bad key ${CANARY} and token header-canary at http://user:pass@host/path?key=1 Bearer abc.def`;
      const failures = [
        answer.status(401, { error: { message: body } }),
        answer.status(400, body),
        answer.script(step.text('a'), step.event({ error: { message: body } })),
      ];
      for (const failure of failures) {
        server.enqueue(failure);
        const open = testModel({ provider, base_url: server.url, headers: { 'x-secret': 'header-canary' } });
        const said = everythingSaid(await outcomeOf(open));
        for (const secret of [CANARY, 'header-canary', 'user:pass', 'abc.def'])
          expect(said).not.toContain(secret);
      }
    });
  });
});

describe('networks', () => {
  it('[models.error.kinds] nothing listens at the address', async () => {
    const gone = await startModelServer();
    await gone.close();
    const outcome = await outcomeOf(testModel({ base_url: gone.url }));
    expect(modelError(outcome).kind).toBe('model_error');
    expect(modelError(outcome).message).toContain('Nothing answers at the address');
    expect(retriesOf(outcome)).toHaveLength(2);
  });

  const causes = [
    { what: 'an unknown host', code: 'ENOTFOUND', words: 'cannot be found', retries: 2 },
    { what: 'a foreign certificate', code: 'DEPTH_ZERO_SELF_SIGNED_CERT', words: 'not trusted', retries: 0 },
    { what: 'a broken connection', code: 'ECONNRESET', words: 'broke', retries: 2 },
  ];
  it.each(causes)('[models.error.kinds] $what', async ({ code, words, retries }) => {
    const fetch = () => {
      const cause = Object.assign(new Error(`${code} at http://secret-host.internal`), { code });
      return Promise.reject(new TypeError('fetch failed', { cause }));
    };
    const outcome = await outcomeOf(testModel({ base_url: 'http://secret-host.internal/v1' }, { fetch }));
    expect(modelError(outcome).message).toContain(words);
    expect(retriesOf(outcome)).toHaveLength(retries);
    expect(everythingSaid(outcome)).not.toContain('secret-host');
  });

  it('[models.error.kinds] an unforeseen failure is still a model error', async () => {
    const fetch = () => Promise.reject(new RangeError('boom'));
    const outcome = await outcomeOf(testModel({ base_url: 'http://127.0.0.1:1/v1' }, { fetch }));
    expect(modelError(outcome).kind).toBe('model_error');
    expect(modelError(outcome).message).toContain('failed unexpectedly');
  });
});

describe('backoff', () => {
  it('[models.retry.backoff] doubles up to a cap, half of it random', () => {
    const wait = (attempt: number, random: number) =>
      backoffMs(attempt, undefined, { options: DEFAULT_BACKOFF, random: () => random });
    expect([wait(1, 0), wait(1, 1)]).toEqual([500, 1_000]);
    expect([wait(2, 0), wait(2, 1)]).toEqual([1_000, 2_000]);
    expect([wait(9, 0), wait(9, 1)]).toEqual([4_000, 8_000]);
  });

  it('[models.retry.retry-after] reads seconds, dates and milliseconds, and waits no longer than 30 s for them', () => {
    const now = () => Date.parse('2026-11-20T10:00:00Z');
    expect(retryAfterMs({ 'retry-after': '7' }, now)).toBe(7_000);
    expect(retryAfterMs({ 'retry-after': 'Fri, 20 Nov 2026 10:00:09 GMT' }, now)).toBe(9_000);
    expect(retryAfterMs({ 'retry-after-ms': '250' }, now)).toBe(250);
    expect(retryAfterMs({ 'retry-after': 'soon' }, now)).toBeUndefined();
    expect(retryAfterMs({}, now)).toBeUndefined();
    expect(backoffMs(1, 3_600_000, { options: DEFAULT_BACKOFF, random: () => 0 })).toBe(30_000);
  });
});
