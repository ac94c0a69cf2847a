import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What is bound in seconds there is to be held up by little that is tested beside it. */
const BOUND_IN_TIME = [
  'test/auth/sign-in.test.ts',
  'test/faults/many-runs.test.ts',
  'test/faults/outage.test.ts',
  'test/faults/two-processes.test.ts',
  'test/http/half-open.test.ts',
  'test/workspace/sandbox/sandboxes.test.ts',
];

/** Small files that take long. All others begin by size, and a long one at the end leaves the other workers nothing to do. */
const LONG = [
  'test/faults/retention.test.ts',
  'test/faults/subagents.test.ts',
  'test/http/hostile-input-postgres.test.ts',
  'test/isolation/isolation-postgres.test.ts',
  'test/simulation/simulation.test.ts',
  'test/storage/sqlite-memory.test.ts',
];

/** Those first that take longest. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => LONG.some((it) => moduleId.endsWith(it));
    return [...sorted.filter(isLong), ...sorted.filter((it) => !isLong(it))];
  }
}

export default defineConfig({
  test: {
    isolate: false,
    pool: 'forks',
    setupFiles: ['test/support/hold-fetch.ts'],
    reporters: ['default', './test/support/slowest-files.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // The second that it is otherwise is soon over on two busy cores.
    expect: { poll: { timeout: 20_000 } },
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'together',
          include: ['test/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...BOUND_IN_TIME],
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'alone',
          include: BOUND_IN_TIME,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
