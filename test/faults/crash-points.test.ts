// Killed at every durable write and every call to the outside: a conversation continues as if nothing had
// happened.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cases } from '../support/amount.ts';
import { converse, type Survived } from './conversation.ts';
import type { CrashOrder } from './crashing-service.ts';
import { openProcessPool, type ProcessPool } from './process-pool.ts';

let pool: ProcessPool;
beforeAll(async () => {
  pool = await openProcessPool(3);
});
afterAll(() => pool.close());

/** Holds a conversation; kills the service at the first order, and at the others while it recovers. */
function survive(order: CrashOrder, later: readonly CrashOrder[] = []): Promise<Survived> {
  return pool.use(async ({ process, client }) => {
    await process.up();
    process.arm(order);
    process.armNextStarts(later);
    const survived = await converse(process, client);
    await process.up();
    process.armNextStarts([]);
    return survived;
  });
}

async function expectSurvival(point: string, occurrence: number): Promise<Survived> {
  // A frame that is shown too early gets the time to reach a client.
  const hold = point === 'commit.before' ? { holdMs: 20 } : {};
  const survived = await survive({ point, occurrence, ...hold });
  expect(survived.broken, `${point} ${occurrence}`).toEqual([]);
  // A slow machine has fewer, larger commits.
  if (occurrence <= 6) expect(survived.deaths, `${point} ${occurrence} was reached`).toBe(1);
  return survived;
}

const each = (points: readonly string[], occurrences: readonly number[]) =>
  cases(
    points.flatMap((point) => occurrences.map((occurrence): [string, number] => [point, occurrence])),
    ([, occurrence]) => occurrence === 1,
  );

describe.concurrent('kill -9', () => {
  it.each(each(['thread.create.before', 'admit.before'], [1]))(
    '[fault.F01] before an accepted request is written: %s %i',
    async (...at) => void (await expectSurvival(...at)),
  );

  it.each([
    ...each(['thread.create.after'], [1]),
    ...each(['admit.after', 'claim.before', 'claim.after'], [1, 2]),
  ])('[fault.F02] before an admitted run has begun: %s %i', async (...at) => {
    await expectSurvival(...at);
  });

  it.each(each(['model.before'], [1, 2, 3]))('[fault.F03] before the first token: %s %i', async (...at) => {
    const { thread } = await expectSurvival(...at);
    expect(thread.runs.map(({ attempt }) => attempt).sort()).toEqual([1, 2]);
  });

  it.each(each(['model.token', 'model.after'], [1, 2, 3]))(
    '[fault.F04] while a reply is written: %s %i',
    async (...at) => void (await expectSurvival(...at)),
  );

  it.each(each(['tool.look.before'], [1]))(
    '[fault.F05] between a call and its tool: %s %i',
    async (...at) => {
      await expectSurvival(...at);
    },
  );

  // The message with the calls is stored, the start of its tools is not.
  it.each([...each(['model.after'], [1]), ...each(['commit.before', 'commit.after'], [1, 2, 3])])(
    '[fault.F05] before a call is known to have started: %s %i',
    async (...at) => {
      const { thread, effects } = await expectSurvival(...at);
      const sent = thread.folded.find(({ content }) => content === 'send usethetools');
      const times = (tool: string) => effects.filter((it) => it.tool === tool).length;
      if (sent !== undefined) expect(times('send')).toBe(1);
      if (at[0] === 'model.after') expect(['look', 'put', 'send'].map(times)).toEqual([1, 1, 1]);
    },
  );

  it.each(each(['tool.put.before'], [1]))(
    '[fault.F06] in a tool that may run again: %s %i',
    async (...at) => void (await expectSurvival(...at)),
  );

  it.each([
    ['tool.look.after', 'look'],
    ['tool.put.after', 'put'],
  ])('[fault.F06] [fault.F08] after the effect of a tool that may run again: %s', async (point, tool) => {
    const { effects } = await expectSurvival(point, 1);
    const callIds = effects.filter((it) => it.tool === tool).map(({ callId }) => callId);
    expect(callIds).toEqual(Array(2).fill(`call_usethetools_${tool}`));
  });

  it.each(each(['tool.send.before', 'tool.send.after'], [1]))(
    '[fault.F07] [fault.F08] [events.unknown] in a tool that must not run again: %s %i',
    async (...at) => {
      const { thread } = await expectSurvival(...at);
      const results = thread.folded.filter(({ type }) => type === 'tool').map(({ content }) => content);
      expect(results.map(String)).toEqual([
        'look usethetools',
        'put usethetools',
        expect.stringContaining('it is not known whether it took effect'),
      ]);
      const unknown = thread.events.filter(({ eventType }) => eventType === 'tool_outcome_unknown');
      expect(unknown).toMatchObject([
        { category: 'trace', metadata: { tool_name: 'send', tool_call_id: 'call_usethetools_send' } },
      ]);
    },
  );

  it.each(each(['commit.before', 'commit.after'], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]))(
    "[fault.points] at a commit of a run's changes: %s %i",
    async (...at) => void (await expectSurvival(...at)),
  );

  const RECOVERY = [
    'register.after',
    'fenceOthers.before',
    'fenceOthers.after',
    'claim.after',
    'commit.before',
    'model.token',
  ];
  it.each(cases(RECOVERY, (point) => /^(claim|model)/.test(point)))(
    '[fault.points] and once more while it recovers: %s',
    async (point) => {
      const again = { point, occurrence: 1 };
      const { broken, deaths } = await survive({ point: 'tool.put.after', occurrence: 1 }, [again]);
      expect(broken).toEqual([]);
      expect(deaths).toBe(2);
    },
  );
});
