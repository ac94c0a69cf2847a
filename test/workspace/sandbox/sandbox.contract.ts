// The contract of every sandbox.
import { once } from 'node:events';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDiskUse } from '../../../src/workspace/quota/disk-use.ts';
import { type QuotaOptions, quotaOptionsSchema } from '../../../src/workspace/quota/quota-options.ts';
import type { ReadOnlyFolders } from '../../../src/workspace/read-only/read-only-folders.ts';
import type { Sandbox, SandboxParts } from '../../../src/workspace/sandbox/sandbox.ts';
import type { SandboxOptions } from '../../../src/workspace/sandbox/sandbox-options.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { ANNS, CANARY, runCommand, sandboxOptions } from './run-command.ts';

export type Create = (parts: SandboxParts) => Sandbox;

const EXITED = { kind: 'exited', code: 0 };

/** `isolated`: the sandbox separates commands from the machine. */
export function sandboxContract(name: string, create: Create, { isolated = true } = {}): void {
  const open = async (options: Partial<SandboxOptions> = {}, quota: Partial<QuotaOptions> = {}) => {
    const dataHome = await temporaryFolder();
    const { diskUseOf } = createDiskUse({
      dataHome,
      options: quotaOptionsSchema.parse({ min_free_mb: 0, ...quota }),
      storedBytes: async () => 0,
    });
    const readOnly = readOnlyFolders(join(dataHome, 'beside'));
    const sandbox = create({ dataHome, diskUseOf, readOnly, options: sandboxOptions(options) });
    const threads = join(dataHome, 'users', 'ann', 'threads');
    return { sandbox, dataHome, threads, files: join(threads, ANNS.threadId, 'user-data') };
  };

  describe(name, () => {
    it('[sandbox.files] a command works in the workspace of its thread', async () => {
      const { sandbox, files } = await open();
      const script =
        'pwd; echo hi > a.txt; mkdir -p /mnt/user-data/outputs/x; cp a.txt /mnt/user-data/outputs/x/b.txt';
      expect(await runCommand(sandbox, script)).toEqual({
        outcome: EXITED,
        stdout: '/mnt/user-data/workspace\n',
        stderr: '',
      });
      expect(await readFile(join(files, 'outputs', 'x', 'b.txt'), 'utf8')).toBe('hi\n');
      await writeFile(join(files, 'uploads', 'in.txt'), 'größer\n');
      expect((await runCommand(sandbox, 'cat /mnt/user-data/uploads/in.txt')).stdout).toBe('größer\n');
    });

    it('[sandbox.read_only] folders beside the thread can be read by their user, and are never changed', async () => {
      const { sandbox, dataHome } = await open();
      const [shown, hidden] = [join(dataHome, 'beside', 'list'), join(dataHome, 'beside', 'list-of-others')];
      for (const folder of [shown, hidden]) await mkdir(join(folder, 'more'), { recursive: true });
      await writeFile(join(shown, 'more', 'a.txt'), 'to read\n');
      await writeFile(join(hidden, 'a.txt'), CANARY);
      await symlink(join(hidden, 'a.txt'), join(shown, 'link.txt'));
      const read = await runCommand(
        sandbox,
        'cat /mnt/beside/list/more/a.txt; cd /mnt/beside/list && find . -name "a*"',
      );
      expect(read).toEqual({ outcome: EXITED, stdout: 'to read\n./more/a.txt\n', stderr: '' });
      const others = await runCommand(
        sandbox,
        'cat /mnt/beside/list-of-others/a.txt /mnt/beside/gone/a.txt; ls /mnt/beside',
      );
      expect(others.stdout).not.toMatch(/CANARY|others|gone/);
      if (!isolated) return;
      const changing = `cd /mnt/beside/list; echo x > new.txt; echo x >> more/a.txt; rm -rf more; mv more moved
        mkdir folder; chmod 777 more/a.txt; cat link.txt`;
      const { stdout, stderr } = await runCommand(sandbox, changing);
      expect(stdout + stderr).not.toMatch(/CANARY/);
      expect(await readdir(shown, { recursive: true })).toEqual(['link.txt', 'more', 'more/a.txt']);
      expect(await readFile(join(shown, 'more', 'a.txt'), 'utf8')).toBe('to read\n');
      const other = await runCommand(sandbox, 'cat /mnt/beside/list/more/a.txt', {
        place: { userId: 'bob', threadId: 'thread-1' },
      });
      expect(other.stdout).toBe('');
    });

    it('[sandbox.outcome] both streams and the exit code are reported', async () => {
      const { sandbox } = await open();
      const ran = await runCommand(sandbox, 'echo out; echo bad >&2; exit 3');
      expect(ran).toEqual({ outcome: { kind: 'exited', code: 3 }, stdout: 'out\n', stderr: 'bad\n' });
      expect((await runCommand(sandbox, 'seq 1 4 | grep -v 2 | wc -l')).stdout.trim()).toBe('3');
      expect((await runCommand(sandbox, 'cat')).outcome).toEqual(EXITED);
    });

    it.runIf(isolated)(
      '[hostile.S48] [sandbox.others] files of other threads and users are absent, and no link leads out',
      async () => {
        const { sandbox, dataHome, threads, files } = await open();
        await runCommand(sandbox, 'true');
        await mkdir(join(threads, 'thread-2', 'user-data', 'workspace'), { recursive: true });
        await writeFile(join(threads, 'thread-2', 'user-data', 'workspace', 'secret'), CANARY);
        await writeFile(join(dataHome, 'secret'), CANARY);
        await symlink(join(dataHome, 'secret'), join(files, 'workspace', 'link'));
        await symlink('../../../../../../secret', join(files, 'workspace', 'relative'));
        const script = `cat link relative ${dataHome}/secret /mnt/user-data/../../secret; ls ${dataHome}; ls -R /mnt; find / -name secret`;
        const { stdout, stderr } = await runCommand(sandbox, script);
        expect(stdout + stderr).not.toContain(CANARY);
        expect(stdout).not.toMatch(/secret$/m);
      },
    );

    it.runIf(isolated)(
      '[hostile.S48] [sandbox.environment] the environment and the processes of the service are invisible',
      async () => {
        process.env.SANDBOX_CANARY = CANARY;
        onTestFinished(() => void delete process.env.SANDBOX_CANARY);
        const { sandbox } = await open();
        const script =
          "env; cat /proc/1/environ /proc/self/environ /proc/*/environ | tr '\\0' '\\n'; cat /proc/*/cmdline | tr '\\0' ' '";
        const { stdout, stderr } = await runCommand(sandbox, script);
        expect(stdout + stderr).not.toContain(CANARY);
        expect(stdout).not.toContain('vitest');
      },
    );

    it.runIf(isolated)(
      '[hostile.S02] [hostile.S48] nothing outside is read or written through links that the command makes',
      async () => {
        const { sandbox, dataHome, files } = await open();
        await writeFile(join(dataHome, 'secret'), CANARY);
        const script = `ln -s / root; ln -s ../../../../../../secret up; ln -s ${dataHome}/secret full; ln ${dataHome}/secret hard
          cat up full hard root${dataHome}/secret; cp -rL root${dataHome} copied; cat copied/secret
          echo owned > up; echo owned > full; echo owned > root${dataHome}/secret; echo owned > /mnt/owned; echo owned > /owned
          echo owned > ../../owned; echo owned > ../owned; mkdir -p ../other; mv /mnt/user-data/outputs /mnt/user-data/gone`;
        const { stdout, stderr } = await runCommand(sandbox, script);
        expect(stdout + stderr).not.toContain(CANARY);
        expect(await readFile(join(dataHome, 'secret'), 'utf8')).toBe(CANARY);
        expect((await readdir(files)).sort()).toEqual(['outputs', 'uploads', 'workspace']);
        expect((await readdir(dataHome)).sort()).toEqual(['secret', 'users']);
      },
    );

    it.runIf(isolated)(
      '[hostile.S48] [sandbox.network] nothing can be reached: no metadata, no engine, no service, no page',
      async () => {
        const { sandbox } = await open();
        const server = createServer((_, response) => response.end(CANARY)).listen(0, '127.0.0.1');
        onTestFinished(() => void server.close());
        await once(server, 'listening');
        const { port } = server.address() as AddressInfo;
        const script = `for target in 127.0.0.1:${port} 169.254.169.254 '[::1]:${port}' localhost:${port} 1.1.1.1; do
            curl -s -m 2 http://$target/; wget -q -T 2 -O - http://$target/
          done; (exec 3<>/dev/tcp/127.0.0.1/${port}; printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3; cat <&3)
          ls /var/run/docker.sock /run/docker.sock /run/containerd /run/podman; true`;
        const { stdout } = await runCommand(sandbox, script);
        expect(stdout).toBe('');
      },
    );

    it('[sandbox.timeout] a command that takes too long is killed', async () => {
      const { sandbox } = await open({ timeout_seconds: 0.7 });
      const begun = performance.now();
      const { outcome } = await runCommand(sandbox, 'echo begun; sleep 60');
      expect(outcome).toEqual({ kind: 'stopped', cause: 'timeout' });
      expect(performance.now() - begun).toBeLessThan(30_000);
    });

    it('[sandbox.cancel] a cancelled command is killed within a second', async () => {
      const { sandbox } = await open();
      const cancelled = { kind: 'stopped', cause: 'cancelled' };
      const times: number[] = [];
      // One quick kill suffices, since other work of the machine must not fail the test.
      while (times.length < 5 && Math.min(...times) > 1_000) {
        const cancel = new AbortController();
        const { signal } = cancel;
        const running = runCommand(sandbox, 'while true; do sleep 0.01; done', { signal });
        await new Promise((resolve) => setTimeout(resolve, 300));
        const asked = performance.now();
        cancel.abort();
        expect((await running).outcome).toEqual(cancelled);
        times.push(performance.now() - asked);
        expect((await runCommand(sandbox, 'echo later', { signal })).outcome).toEqual(cancelled);
      }
      expect(Math.min(...times)).toBeLessThan(1_000);
    });

    it('[sandbox.output] a command with too much output is killed', async () => {
      const { sandbox } = await open();
      const script = 'for n in 1 2 3 4 5; do seq 1 60000; done; sleep 30';
      const { outcome, stdout } = await runCommand(sandbox, script);
      expect(outcome).toEqual({ kind: 'stopped', cause: 'output' });
      expect(stdout.length).toBeLessThan(4 * 1_048_576);
    });

    it('[sandbox.output] arrives while the command runs', async () => {
      const { sandbox } = await open();
      const cancel = new AbortController();
      let seen = '';
      const script = 'for n in 1 2 3; do echo "n$n"; if [ $n = 2 ]; then sleep 60; fi; done';
      const { outcome, stdout } = await runCommand(sandbox, script, {
        signal: cancel.signal,
        onOutput(_stream, text) {
          seen += text;
          if (seen.endsWith('n2\n')) cancel.abort();
        },
      });
      expect([outcome, stdout]).toEqual([{ kind: 'stopped', cause: 'cancelled' }, 'n1\nn2\n']);
    });

    it.runIf(isolated)(
      '[sandbox.alone] the state that a command leaves in its shell does not reach the next one',
      async () => {
        const { sandbox } = await open();
        const planting = `export LEFT=1 PATH=/nowhere:$PATH HOME=/tmp; left() { echo left; }; echo() { printf 'mine\\n'; }
        alias ls='printf left'; shopt -s extglob nullglob; set -f; cd /tmp; printf left > /tmp/left; umask 000
        declare -A map; map[__proto__]=left; map[constructor]=left; export __proto__=left constructor=left toString=left
        printf '{"__proto__":{"left":"left"},"constructor":{"prototype":{"left":"left"}}}' | jq '.__proto__.left' || true
        hash -p /bin/cat ls 2>&1 || true; ulimit -n 64 2>&1 || true`;
        await runCommand(sandbox, planting);
        const asking = `pwd; echo "[$LEFT$left$__proto__$constructor$toString]"; left; shopt -q extglob || echo plain; echo /mnt/*
        ls /tmp; cat /tmp/left; declare -A fresh; echo "<\${fresh[left]}\${fresh[__proto__]}\${#fresh[@]}>"; echo "$HOME"; true`;
        for (const userId of [ANNS.userId, 'bob']) {
          const { outcome, stdout, stderr } = await runCommand(sandbox, asking, {
            place: { userId, threadId: ANNS.threadId },
          });
          expect([outcome, stdout]).toEqual([
            EXITED,
            '/mnt/user-data/workspace\n[]\nplain\n/mnt/user-data\n<0>\n/mnt/user-data/workspace\n',
          ]);
          expect(stderr).toContain('left: command not found');
        }
      },
    );

    it('[sandbox.disk] no command continues while the disk is nearly full', async () => {
      const { sandbox } = await open({ min_free_mb: 1_048_576 });
      expect((await runCommand(sandbox, 'sleep 30')).outcome).toEqual({ kind: 'stopped', cause: 'disk' });
    });

    it('[sandbox.quota] a command that creates too many files is killed, one that removes some is not', async () => {
      const { sandbox, files } = await open({}, { thread_quota_mb: 3 });
      const script =
        'seq 1 60000 > 0.bin; for n in 1 2 3 4 5 6 7 8 9 10 11 12; do cp 0.bin $n.bin; done; echo written; sleep 100';
      const { outcome, stdout } = await runCommand(sandbox, script);
      expect(outcome).toEqual({ kind: 'stopped', cause: 'quota' });
      expect(stdout === '' || stdout === 'written\n').toBe(true);
      const removing = await runCommand(sandbox, 'rm [12].bin; sleep 3; rm *.bin; ls');
      expect(removing).toEqual({ outcome: EXITED, stdout: '', stderr: '' });
      expect(await readdir(join(files, 'workspace'))).toEqual([]);
    });

    it('[sandbox.quota] a command that creates empty files without end is killed', async () => {
      const { sandbox } = await open({}, { thread_quota_files: 300 });
      // Far longer than the pause between two counts, which grows with the time of the first.
      const script = 'for n in $(seq 1 900); do : > $n; done; echo made; sleep 100';
      expect((await runCommand(sandbox, script)).outcome).toEqual({ kind: 'stopped', cause: 'quota' });
      const removing = await runCommand(sandbox, 'rm 1 2 3; sleep 2; rm -f *; ls');
      expect(removing).toEqual({ outcome: EXITED, stdout: '', stderr: '' });
    });

    it('[sandbox.paths] no folder of the machine is named', async () => {
      const { sandbox, dataHome } = await open();
      const script =
        'pwd; ls nothing; cat /proc/self/mountinfo /proc/*/cmdline; cd /mnt/user-data/outputs && pwd -P; readlink -f .';
      const { stdout, stderr } = await runCommand(sandbox, script);
      expect(stdout + stderr).not.toContain(dataHome);
    });
  });
}

/** Gives Ann two folders, one of which does not exist. */
function readOnlyFolders(real: string): ReadOnlyFolders {
  const folders = ['list', 'gone'].map((name) => ({
    virtual: `/mnt/beside/${name}`,
    real: join(real, name),
  }));
  return {
    root: '/mnt/beside',
    of: async (userId) => (userId === ANNS.userId ? folders : []),
    missing: (path) => `There is no ${path}.`,
  };
}
