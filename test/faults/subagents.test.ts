// Killed while sub-agents work, three at a time and one of them nested: no work is repeated or lost.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cases } from '../support/amount.ts';
import { converse } from './conversation.ts';
import { openProcessPool, type ProcessPool } from './process-pool.ts';

let pool: ProcessPool;
beforeAll(async () => {
  pool = await openProcessPool(3, { agent: { subagents: { max_depth: 2 } } });
});
afterAll(() => pool.close());

const POINTS: readonly [string, number][] = [
  ...[2, 4, 6, 7].map((occurrence): [string, number] => ['model.before', occurrence]),
  ...[3, 6].map((occurrence): [string, number] => ['model.token', occurrence]),
  ...[2, 5, 8].map((occurrence): [string, number] => ['model.after', occurrence]),
  ...['look', 'put', 'send'].flatMap((tool) =>
    [1, 3].flatMap((occurrence): [string, number][] => [
      [`tool.${tool}.before`, occurrence],
      [`tool.${tool}.after`, occurrence],
    ]),
  ),
  ...[3, 5, 7, 9].flatMap((occurrence): [string, number][] => [
    ['commit.before', occurrence],
    ['commit.after', occurrence],
  ]),
];

/** One of each kind, from the first to the last sub-agent. */
const STAND = new Set([
  'model.before 7',
  'model.token 3',
  'model.after 5',
  'tool.look.before 1',
  'tool.put.after 3',
  'tool.send.after 1',
  'commit.before 5',
  'commit.after 9',
]);

describe.concurrent('kill -9 in sub-agents', () => {
  it.each(cases(POINTS, ([point, occurrence]) => STAND.has(`${point} ${occurrence}`)))(
    '[fault.F09] %s %i',
    async (point, occurrence) => {
      const { thread, broken, deaths } = await pool.use(async ({ process, client }) => {
        await process.up();
        process.arm({ point, occurrence });
        return converse(process, client, 'delegate');
      });
      expect(broken).toEqual([]);
      expect(deaths).toBe(1);
      const results = thread.folded
        .filter(({ type }) => type === 'tool')
        .map(({ content }) => String(content));
      expect(results).toEqual(
        ['use one', 'use two', 'pass it on'].map((task) => `Here is what came of ${task} in a few words.`),
      );
      // Each of the four began once and ended once, whatever was lost in between.
      for (const what of ['subagent_start', 'subagent_end']) {
        const names = thread.events
          .filter(({ eventType }) => eventType === what)
          .map(({ metadata }) => metadata.namespace);
        expect(names.toSorted(), what).toEqual([
          'tools:call_passiton',
          'tools:call_passiton|tools:call_usethree',
          'tools:call_useone',
          'tools:call_usetwo',
        ]);
      }
      // No tools ran for a second sub-agent: their results are in the messages of the first.
      const steps = thread.events.filter(({ eventType }) => eventType === 'subagent_step');
      const tools = steps.filter(({ content }) => JSON.stringify(content).includes('"type":"tool"'));
      expect(tools).toHaveLength(10);
    },
  );
});
