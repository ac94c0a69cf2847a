// The confinement of processes on this machine. When everything is tested, bubblewrap has to work.
import { tmpdir } from 'node:os';
import { type Confinement, type ConfinementOf, createConfinement } from '../../src/processes/confinement.ts';
import { architectureOf, seccompFilter } from '../../src/processes/seccomp/filter.ts';
import { sandboxOptionsSchema } from '../../src/workspace/sandbox/sandbox-options.ts';

const { path } = sandboxOptionsSchema.parse({});

// The machine does not change, so a process tries its programs once.
const looked: { at?: ConfinementOf } = {};

/** For services that look for programs in the usual path, and keep their files where no box shows any. */
export function knownConfinement(wanted: string, dataHome: string): { readonly confinement?: ConfinementOf } {
  if (wanted !== path || !dataHome.startsWith(tmpdir())) return {};
  looked.at ??= createConfinement({ path, hidden: [] });
  return { confinement: looked.at };
}

export async function testConfinement(): Promise<Confinement> {
  const found = await createConfinement({ path, hidden: [] })();
  const { bubblewrap } = found;
  if (!bubblewrap.works && process.env.CI) throw new Error(`Bubblewrap does not work. ${bubblewrap.reason}`);
  return found;
}

/** Returns the confinement as on a machine without control groups, whether or not this one has them. */
export function withoutGroups(found: Confinement): Confinement {
  const architecture = architectureOf(process.arch);
  const filter = { kind: 'usable', program: seccompFilter(architecture ?? 'x64', 'refused') } as const;
  return { ...found, groups: { kind: 'missing', reason: 'a test' }, filter };
}
