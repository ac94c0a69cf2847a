// A vitest reporter: after a run of many files, prints the slowest files and tests, in seconds of the clock.
import type { Reporter, TestModule } from 'vitest/node';

const SHOWN = 20;
/** Runs of at most this many files need no report. */
const FEW = 5;

interface Took {
  readonly name: string;
  readonly ms: number;
}

export default class SlowestFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length <= FEW) return;
    const files = modules.map((it): Took => ({ name: it.relativeModuleId, ms: it.diagnostic().duration }));
    const tests = modules.flatMap((it) =>
      [...it.children.allTests()].map(
        (test): Took => ({
          name: `${it.relativeModuleId} > ${test.fullName}`,
          ms: test.diagnostic()?.duration ?? 0,
        }),
      ),
    );
    process.stdout.write(`${table('files', files)}${table('tests', tests)}\n`);
  }
}

function table(what: string, took: readonly Took[]): string {
  const slowest = took.toSorted((a, b) => b.ms - a.ms).slice(0, SHOWN);
  const lines = slowest.map(({ name, ms }) => `${(ms / 1_000).toFixed(1).padStart(8)} s  ${name}`);
  return `\nSlowest ${what}\n${lines.join('\n')}\n`;
}
