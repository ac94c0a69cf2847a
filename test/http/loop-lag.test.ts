// The log of an event loop that was blocked.
import { expect, it } from 'vitest';
import type { RouteTable } from '../../src/http/api/route-table.ts';
import { createLoopLag } from '../../src/http/transport/loop-lag.ts';
import { cpuTimeOf } from '../support/cpu-time.ts';
import { openTestApp } from '../support/test-app.ts';

/** Opens a service with two routes, one of which blocks the loop for the requested time. */
async function openSlowApp() {
  const clock = { ms: 0 };
  const warnings: object[] = [];
  let look: (() => void) | undefined;
  const loopLag = createLoopLag({
    log: { warn: (fields) => void warnings.push(fields) },
    now: () => clock.ms,
    every: (_, call) => {
      look = call;
      return () => {
        look = undefined;
      };
    },
  });
  const slow = (routes: RouteTable) => {
    routes.get('/api/slow/{ms}', {
      operationId: 'test1',
      errors: [],
      summary: 'Takes its time',
      responses: { 200: { description: 'Done' } },
      handle: (c) => {
        clock.ms += Number(c.req.param('ms'));
        return c.text('done');
      },
    });
  };
  const app = await openTestApp({ app: { loopLag, routes: [slow] } });
  loopLag.start();
  /** Advances the clock and turns the loop. */
  const turn = (ms: number) => {
    clock.ms += ms;
    look?.();
  };
  return { app, ann: await app.user(), turn, warnings, loopLag, isLooking: () => look !== undefined };
}

it('[http.loop-lag] a blocked loop is logged with the route, and with nothing of the request', async () => {
  const { app, ann, turn, warnings, loopLag, isLooking } = await openSlowApp();
  try {
    turn(50);
    await ann.get('/api/slow/150?secret=1');
    turn(20);
    expect(warnings).toEqual([]);
    await ann.get('/api/slow/300?secret=1');
    turn(20);
    expect(warnings).toEqual([{ ms: 320, routes: ['GET /api/slow/{ms}'] }]);

    // Further ones within ten seconds are counted.
    for (const _ of [1, 2]) {
      await ann.get('/api/slow/400');
      turn(20);
    }
    expect(warnings).toHaveLength(1);
    for (let ms = 0; ms < 10_000; ms += 50) turn(50);
    turn(1_000);
    expect(warnings).toEqual([expect.anything(), { ms: 1_000, routes: [], unsaid: 2 }]);

    loopLag.stop();
    expect(isLooking()).toBe(false);
  } finally {
    await app.close();
  }
});

it('[http.loop-lag] watching costs next to nothing', async () => {
  const { app, turn, loopLag } = await openSlowApp();
  try {
    const cost = await cpuTimeOf(() => {
      for (let count = 0; count < 100_000; count++) {
        const ended = loopLag.handling('GET /api/threads');
        if (count % 10 === 0) turn(50);
        ended();
      }
    });
    // A hundredth of a millisecond for a request and its share of watching.
    expect(cost).toBeLessThan(1_000);
  } finally {
    await app.close();
  }
});
