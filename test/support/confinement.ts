// What the machine that runs the tests has to hold a boxed process. Where everything is tested, bubblewrap has to work.
import { type Confinement, createConfinement } from '../../src/processes/confinement.ts';
import { architectureOf, seccompFilter } from '../../src/processes/seccomp/filter.ts';
import { sandboxOptionsSchema } from '../../src/workspace/sandbox/sandbox-options.ts';

const { path } = sandboxOptionsSchema.parse({});

export async function testConfinement(): Promise<Confinement> {
  const found = await createConfinement({ path, hidden: [] })();
  const { bubblewrap } = found;
  if (!bubblewrap.works && process.env.CI) throw new Error(`Bubblewrap does not work. ${bubblewrap.reason}`);
  return found;
}

/** As on a machine without control groups, whatever this one has. */
export function withoutGroups(found: Confinement): Confinement {
  const architecture = architectureOf(process.arch);
  const filter = { kind: 'usable', program: seccompFilter(architecture ?? 'x64', 'refused') } as const;
  return { ...found, groups: { kind: 'missing', reason: 'a test' }, filter };
}
