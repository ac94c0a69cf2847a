import { defineConfig } from 'vitest/config';

/** What is bound in seconds there is to be held up by nothing that is tested beside it. */
const BOUND_IN_TIME = [
  'test/auth/sign-in.test.ts',
  'test/faults/cancelling.test.ts',
  'test/faults/many-runs.test.ts',
  'test/faults/outage.test.ts',
  'test/faults/two-processes.test.ts',
  'test/hostile/skill-packages.test.ts',
  'test/http/half-open.test.ts',
  'test/protocol/event-stream.test.ts',
  'test/runs/subagents.test.ts',
  'test/runs/summary.test.ts',
  'test/websocket/run-socket.test.ts',
  'test/workspace/sandbox/sandboxes.test.ts',
];

export default defineConfig({
  test: {
    isolate: false,
    pool: 'forks',
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // The second that it is otherwise is soon over on two busy cores.
    expect: { poll: { timeout: 20_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'together',
          include: ['test/**/*.test.ts'],
          exclude: BOUND_IN_TIME,
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'alone',
          include: BOUND_IN_TIME,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
