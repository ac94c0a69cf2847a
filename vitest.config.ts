import { globSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { isLong } from './test/support/amount.ts';

const ALL = 'test/**/*.test.ts';
/** Tours through what has tests of its own in the other files. */
const ONLY_LONG = 'test/**/*.long.test.ts';

/** `npm test` has every behaviour in it. What takes longer is in files that ask how much to go through: `npm run test:long`. */
function longTests(): string[] {
  const some = globSync(ALL).filter((file) => readFileSync(file, 'utf8').includes('support/amount.ts'));
  return [...some, ONLY_LONG];
}

/** These take long for their size. All others begin by size, and such a one at the end leaves the other workers nothing to do. */
const FIRST = [
  '/test/browser/',
  '/test/faults/',
  '/test/http/hostile-input-',
  '/test/isolation/isolation-',
  '/test/simulation/',
  '/test/storage/',
];

/** Those first that take longest. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isFirst = ({ moduleId }: TestSpecification) => FIRST.some((it) => moduleId.includes(it));
    return [...sorted.filter(isFirst), ...sorted.filter((it) => !isFirst(it))];
  }
}

export default defineConfig({
  test: {
    isolate: false,
    pool: 'forks',
    globalSetup: 'test/support/builds.ts',
    setupFiles: ['test/support/compiled.ts', 'test/support/hold-fetch.ts'],
    reporters: ['default', './test/support/slowest-files.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // The second that it is otherwise is soon over on two busy cores.
    expect: { poll: { timeout: 20_000 } },
    sequence: { sequencer: LongestFirst },
    include: isLong ? longTests() : [ALL],
    exclude: ['**/node_modules/**', ...(isLong ? [] : [ONLY_LONG])],
    // For two cores: tests wait for a process, a disk or a timer as often as for a core.
    maxWorkers: 3,
  },
});
