// Where the service keeps things on its machine: in no answer, event, frame or prompt, whatever is asked and whatever fails.
import { link, mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { testConfinement } from '../support/confinement.ts';
import { COMMANDS, FEW_CALLS, FILE_CALLS } from './swept-calls.ts';
import { openWitness, type Witness } from './witness.ts';

/** Commands are many here, and each begins a shell. */
const PATIENCE = { timeout: 180_000 };

const SANDBOXES = {
  virtual: { kind: 'virtual' },
  bubblewrap: { kind: 'bubblewrap' },
  host: { kind: 'host', allow_host: true },
} as const;

const { bubblewrap } = await testConfinement();
const kinds = Object.entries(SANDBOXES).filter(([kind]) => kind !== 'bubblewrap' || bubblewrap.works);

let folder: string;
let witness: Witness;
afterEach(async () => {
  await witness.close();
  await rm(folder, { recursive: true, force: true });
});

/** The data home is a link, as an operator may have it; both its names are of this machine. */
async function open(sandbox: object, more: object = {}): Promise<string> {
  folder = await mkdtemp(join(tmpdir(), 'machine-paths-'));
  const real = join(folder, 'kept-here');
  const dataHome = join(folder, 'known-as');
  await mkdir(real);
  await symlink(real, dataHome);
  witness = await openWitness({ dataHome, config: { sandbox, ...more } });
  return real;
}

function expectNoPath(): void {
  const found = witness.seen.flatMap(({ where, text }) => {
    const at = placeOf(text);
    return at === undefined ? [] : [[text.slice(Math.max(0, at - 80), at + 120), where] as const];
  });
  expect([...new Map(found)]).toEqual([]);
}

/** Where the text names a folder of the machine; the owner of files may be called like one: `root/root`. */
function placeOf(text: string): number | undefined {
  for (const path of [folder, homedir(), process.cwd()]) {
    for (let at = text.indexOf(path); at !== -1; at = text.indexOf(path, at + 1))
      if (!/\w/.test(text[at - 1] ?? '') && !/\w/.test(text[at + path.length] ?? '')) return at;
  }
  return undefined;
}

describe.each(kinds)('with commands in %s', PATIENCE, (kind, sandbox) => {
  it('[hostile.paths] every tool, with what is there and what is not', async () => {
    await open(sandbox);
    const files = await witness.files();
    await mkdir(join(files, 'workspace', 'folder'), { recursive: true });
    await mkdir(join(files, 'outputs'), { recursive: true });
    await writeFile(join(files, 'workspace', 'a.txt'), 'text\n');
    await writeFile(join(files, 'workspace', 'broken.png'), Buffer.from('\x89PNG\r\n\x1a\nbroken', 'latin1'));
    await writeFile(join(files, 'workspace', 'bytes.bin'), Buffer.from([0, 1, 2, 255]));
    await symlink('/etc', join(files, 'workspace', 'link'));
    await writeFile(join(folder, 'outside'), 'x');
    await link(join(folder, 'outside'), join(files, 'workspace', 'twin'));
    // They know nothing of sandboxes.
    if (kind === 'virtual') await witness.call(FILE_CALLS);
    for (const calls of COMMANDS) await witness.call(calls);
    if (kind === 'virtual') await witness.askEverything();
    const texts = witness.seen.map(({ text }) => text).join('\n');
    for (const sign of ['/mnt/user-data/workspace', 'No such file', 'Exit Code: 3'])
      expect(texts).toContain(sign);
    expectNoPath();
  });
});

describe('when the files of the service are not as they should be', PATIENCE, () => {
  const breakages: [string, (real: string) => Promise<void>][] = [
    [
      'a folder of the thread is a link',
      async () => {
        const workspace = join(await witness.files(), 'workspace');
        await rm(workspace, { recursive: true, force: true });
        await symlink(folder, workspace);
      },
    ],
    [
      'a folder of the thread is a file',
      async () => {
        const files = await witness.files();
        await rm(files, { recursive: true, force: true });
        await writeFile(files, 'x');
      },
    ],
    [
      'everything beside the files of the thread is a file',
      async () => {
        const thread = join(await witness.files(), '..');
        for (const name of await readdir(thread)) {
          if (name === 'user-data') continue;
          await rm(join(thread, name), { recursive: true, force: true });
          await writeFile(join(thread, name), 'x');
        }
      },
    ],
    ['the data home is gone', (real) => rename(real, `${real}-before`)],
  ];

  it.each(breakages)('[hostile.paths] %s', async (_, breakIt) => {
    const real = await open(SANDBOXES.virtual);
    await witness.call(FEW_CALLS);
    await breakIt(real);
    await witness.call(FEW_CALLS);
    await witness.askEverything();
    expectNoPath();
  });
});
