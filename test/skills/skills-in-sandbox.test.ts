// Scripts of skills, run with bash in the sandbox: they are read and run in place, and their folder never
// changes.
import { readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testConfinement } from '../support/confinement.ts';
import { jsonOf } from '../support/json-of.ts';
import { openToolRuns, type ToolRuns } from '../support/tool-run.ts';
import { customFolder, publicSkills, writeSkills } from './written-skills.ts';

const { bubblewrap } = await testConfinement();
const SCRIPTS = {
  'scripts/make.py': 'import sys\nfrom helper import word\nprint(word, *sys.argv[1:])\n',
  'scripts/helper.py': 'word = "python"\n',
  'scripts/make.mjs': 'console.log("node", ...process.argv.slice(2));\n',
  'scripts/make.sh': 'echo "bash $1" > /mnt/user-data/outputs/made.txt\n',
};

describe.each([
  { kind: 'bubblewrap', works: bubblewrap.works, programs: true },
  { kind: 'virtual', works: true, programs: false },
])('$kind', ({ kind, works, programs }) => {
  let shelf: Awaited<ReturnType<typeof publicSkills>>;
  let runs: ToolRuns;
  beforeAll(async () => {
    shelf = await publicSkills({ maker: { files: SCRIPTS }, other: { body: 'CANARY' } });
    runs = await openToolRuns({ config: { sandbox: { kind }, skills: { public_folder: shelf.folder } } });
  });
  afterAll(async () => {
    await runs.close();
    await shelf.remove();
  });
  const bash = async (command: string) => {
    const [result] = await runs.call({ name: 'bash', args: { command } });
    return result?.text ?? '';
  };
  const MAKER = '/mnt/skills/public/maker';

  it.runIf(works)('[skills.scripts] scripts run in place and write their results', async () => {
    if (programs) {
      expect(await bash(`python3 ${MAKER}/scripts/make.py a b`)).toBe('python a b');
      expect(await bash(`cd /tmp && node ${MAKER}/scripts/make.mjs a b`)).toBe('node a b');
    }
    expect(await bash(`bash ${MAKER}/scripts/make.sh a; cat /mnt/user-data/outputs/made.txt`)).toBe('bash a');
  });

  it.runIf(works)(
    '[skills.scripts] the folder of a skill never changes, and its links lead nowhere',
    async () => {
      const folder = join(shelf.folder, 'maker');
      await writeFile(join(shelf.folder, 'beside.txt'), 'CANARY');
      await symlink('../beside.txt', join(folder, 'relative'));
      await symlink(join(shelf.folder, 'beside.txt'), join(folder, 'absolute'));
      await symlink(shelf.folder, join(folder, 'folder'));
      const before = await entriesOf(folder);
      await bash(
        `cd ${MAKER}; echo x > new; echo x >> SKILL.md; rm -rf scripts; mv SKILL.md y; mkdir z; ln -s / root; echo x > scripts/make.sh`,
      );
      expect(await entriesOf(folder)).toEqual(before);
      expect(await readFile(join(folder, 'SKILL.md'), 'utf8')).toContain('Instructions of maker.');
      const told = await bash(
        `cd ${MAKER}; cat relative absolute folder/beside.txt; ls -R folder/; cat /proc/self/mountinfo`,
      );
      expect(told).not.toMatch(/CANARY|beside\.txt$/m);
      expect(told).not.toContain(shelf.folder);
      expect(told).not.toContain(runs.test.dataHome);
    },
  );

  it.runIf(works)(
    '[skills.scripts] a command sees the enabled skills of its user, as they are at its start',
    async () => {
      const other = await runs.test.user();
      const idOf = async (client: ToolRuns['client']) =>
        (await jsonOf<{ id: string }>(client.get('/api/v1/auth/me'))).id;
      await writeSkills(customFolder(runs.test, await idOf(other)), { theirs: {} });
      await writeSkills(customFolder(runs.test, await idOf(runs.client)), { mine: {} });
      expect(await bash('cd /mnt/skills && echo */*')).toBe('custom/mine public/maker public/other');
      await runs.client.post('/api/skills/other/disable');
      expect(await bash('cat /mnt/skills/public/other/SKILL.md')).not.toContain('CANARY');
      expect(await bash('ls /mnt/skills/public')).toBe('maker');
    },
  );
});

/** Returns the entries by their paths, without following links. */
async function entriesOf(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.map(({ parentPath, name }) => join(parentPath, name)).toSorted();
}
