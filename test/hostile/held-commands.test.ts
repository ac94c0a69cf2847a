// What commands of a run cannot do in bubblewrap, as the model that asks for them sees it.
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openToolRuns, type ToolRuns } from '../support/tool-run.ts';

const PROGRAM = 'bwrap';
const BOX = ['--unshare-user', '--unshare-all', '--disable-userns', '--ro-bind', '/', '/', 'true'];
const works = spawnSync(PROGRAM, BOX).status === 0;

it('[hostile.S48] bubblewrap is there where everything is tested', () => {
  expect(works || process.env.CI === undefined).toBe(true);
});

function mayWrite(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

describe.runIf(works)('a command of a run', () => {
  let runs: ToolRuns;
  beforeAll(async () => {
    runs = await openToolRuns({ config: { sandbox: { kind: 'bubblewrap', memory_mb: 64, file_mb: 1_024 } } });
  });
  afterAll(() => runs.close());

  async function said(command: string, by: ToolRuns = runs): Promise<string> {
    const [outcome] = await by.call({ name: 'bash', args: { description: 'try it', command } });
    return outcome?.text ?? '';
  }

  it.each(['/dev/shm', '/tmp'])(
    '[hostile.S48] [sandbox.memory] holds no more memory in %s than it may',
    async (folder) => {
      const text = await said(
        `head -c 200M /dev/zero > ${folder}/x; echo "held $(stat -c %s ${folder}/x) bytes"`,
      );
      const [, held = '0'] = /held (\d+) bytes/.exec(text) ?? [];
      expect([text, Number(held) <= 64 * 1_048_576]).toEqual([text, true]);
    },
  );

  it('[hostile.S48] [sandbox.system] sees no keys of the machine, and asks for none', async () => {
    // keyctl(KEYCTL_GET_KEYRING_ID, KEY_SPEC_USER_KEYRING, 1), by its number on x64 and on arm64.
    const number = process.arch === 'arm64' ? 219 : 250;
    const keyctl = `perl -e '$! = 0; syscall(${number}, 0, -4, 1); print "keyctl: ", $! + 0'`;
    const text = await said(`echo "keys: $(cat /proc/keys 2> /dev/null | wc -c)"; ${keyctl}`);
    expect(text).toMatch(/keys: 0\s+keyctl: 1\b/);
  });

  it.runIf(mayWrite('/usr/local'))(
    '[hostile.S48] [sandbox.system] reads no data home, wherever that is',
    async () => {
      const dataHome = await mkdtemp('/usr/local/data-home-of-a-test-');
      const home = await openToolRuns({ dataHome, config: { sandbox: { kind: 'bubblewrap' } } });
      try {
        await writeFile(join(dataHome, 'secret'), 'CANARY');
        const text = await said(`ls -A ${dataHome} | wc -l; cat ${dataHome}/secret; ls /usr/bin/env`, home);
        expect(text).toMatch(/^0\n\/usr\/bin\/env\n/);
        expect(text).not.toContain('CANARY');
      } finally {
        await home.close();
        await rm(dataHome, { recursive: true, force: true });
      }
    },
  );
});
