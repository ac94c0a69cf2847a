// What the machine is found to have, where the program that is tried does not answer at once.
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createConfinement } from '../../src/processes/confinement.ts';
import { confinementGaps, requireWalls } from '../../src/workspace/sandbox/confinement-gaps.ts';
import { testConfinement } from '../support/confinement.ts';
import { sandboxOptions } from '../workspace/sandbox/run-command.ts';
import { temporaryFolder } from '../workspace/temporary-folder.ts';

const { path } = sandboxOptions();
const found = await testConfinement();

/** A bubblewrap that does nothing until a file is there, and then what the real one does. */
async function slowBubblewrap() {
  const folder = await temporaryFolder();
  const flag = join(folder, 'answer');
  const program = join(folder, 'bwrap');
  const script = `#!/bin/sh\nPATH='${path}'\nwhile ! [ -e '${flag}' ]; do sleep 0.05; done\nexec bwrap "$@"\n`;
  await writeFile(program, script);
  await chmod(program, 0o755);
  return { path: folder, answer: () => writeFile(flag, '') };
}

it.runIf(found.filter.kind === 'usable')(
  '[sandbox.probe] a program that did not answer in time is asked again, and until then nothing is left away',
  async () => {
    const slow = await slowBubblewrap();
    const look = createConfinement({ path: slow.path, hidden: [], probeMs: 300 });
    const strict = sandboxOptions({ require: 'strict' });
    expect(await look()).toMatchObject({
      answered: false,
      bubblewrap: { works: true },
      filter: { kind: 'usable' },
    });
    expect((await confinementGaps(strict, look)).map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/^Bubblewrap did not answer in time/),
    );
    await expect(requireWalls(strict, look)).rejects.toThrow(/did not answer in time/);
    await slow.answer();
    const patient = createConfinement({ path: slow.path, hidden: [] });
    expect(await patient()).toMatchObject({ answered: true, filter: { kind: 'usable' } });
    await expect.poll(async () => (await look()).answered, { timeout: 20_000 }).toBe(true);
  },
);

it('[sandbox.probe] one that says no is asked once, and one that is not there is missing', async () => {
  const folder = await temporaryFolder();
  const asked = join(folder, 'asked');
  await writeFile(join(folder, 'bwrap'), `#!/bin/sh\necho no >&2; echo >> '${asked}'; exit 1\n`);
  await chmod(join(folder, 'bwrap'), 0o755);
  const refused = createConfinement({ path: folder, hidden: [] });
  const answer = { answered: true, bubblewrap: { works: false }, filter: { kind: 'missing' } };
  expect(await refused()).toMatchObject(answer);
  const times = await readFile(asked, 'utf8');
  expect(await refused()).toMatchObject(answer);
  expect(await readFile(asked, 'utf8')).toBe(times);
  const missing = createConfinement({ path: await temporaryFolder(), hidden: [] });
  expect(await missing()).toMatchObject({
    answered: true,
    bubblewrap: { works: false, reason: expect.stringMatching(/^Install it/) },
  });
});
