// What confines a command in bubblewrap besides its namespaces: the filter, the limits of memory, and the
// masked files. Each is tested with control groups where available, and as on a machine without any.
import { access, constants, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Confinement, createConfinement } from '../../../src/processes/confinement.ts';
import { architectureOf } from '../../../src/processes/seccomp/filter.ts';
import { JUDGED, REFUSED, UNCOUNTED } from '../../../src/processes/seccomp/system-calls.ts';
import { NO_LIMITS } from '../../../src/workspace/quota/disk-use.ts';
import { createBubblewrapSandbox } from '../../../src/workspace/sandbox/bubblewrap-sandbox.ts';
import type { SandboxOptions } from '../../../src/workspace/sandbox/sandbox-options.ts';
import { testConfinement, withoutGroups } from '../../support/confinement.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { runCommand, sandboxOptions } from './run-command.ts';

const found = await testConfinement();
const architecture = architectureOf(process.arch) ?? 'x64';
const MACHINES: Readonly<Record<string, Confinement>> = {
  ...(found.groups.kind === 'usable' ? { 'control groups': found } : {}),
  'no control groups': withoutGroups(found),
};

async function run(confinement: Confinement, script: string, options: Partial<SandboxOptions> = {}) {
  const dataHome = await temporaryFolder();
  const parts = {
    dataHome,
    diskUseOf: NO_LIMITS,
    options: sandboxOptions(options),
    confinement: async () => confinement,
  };
  return runCommand(createBubblewrapSandbox(parts), script);
}

/** Returns the error number of the kernel for each call with these arguments. */
async function errorsOf(
  confinement: Confinement,
  calls: Readonly<Record<string, readonly [number | null, ...(number | string)[]]>>,
): Promise<Readonly<Record<string, number>>> {
  const asked = Object.entries(calls).flatMap(([name, [number, ...args]]) =>
    number === null
      ? []
      : [`$! = 0; syscall(${[number, ...args].join(', ')}); print "${name} ", $! + 0, "\\n";`],
  );
  const { stdout } = await run(confinement, `perl -e '$| = 1; ${asked.join(' ')}'`);
  return Object.fromEntries(
    stdout
      .trim()
      .split('\n')
      .map((line) => [line.split(' ')[0] ?? '', Number(line.split(' ')[1])]),
  );
}

const EPERM = 1;
const ENOSYS = 38;

describe.runIf(found.filter.kind === 'usable').each(Object.entries(MACHINES))(
  'with %s',
  (name, confinement) => {
    const counts = name === 'control groups';

    it('[hostile.S48] [sandbox.filter] the kernel refuses every call on the list', async () => {
      const refused = { ...REFUSED, ...(counts ? {} : UNCOUNTED) };
      const calls = Object.entries(refused).filter(([, numbers]) => numbers[architecture] !== null);
      const asked = calls.map(([call, numbers]) => [call, [numbers[architecture], 0, 0, 0, 0, 0]] as const);
      expect(await errorsOf(confinement, Object.fromEntries(asked))).toEqual(
        Object.fromEntries(calls.map(([call]) => [call, EPERM])),
      );
    });

    it('[hostile.S48] [sandbox.filter] the kernel judges calls by their arguments', async () => {
      const on = (call: keyof typeof JUDGED) => JUDGED[call][architecture];
      const errors = await errorsOf(confinement, {
        user_namespace: [on('clone'), 0x1000_0011, 0, 0, 0, 0],
        clone3: [on('clone3'), 0, 0],
        vsock: [on('socket'), 40, 1, 0],
        packet: [on('socket'), 17, 3, 0],
        alg: [on('socket'), 38, 5, 0],
        unix: [on('socket'), 1, 1, 0],
        typing: [on('ioctl'), 0, 0x5412, 0],
        no_random_addresses: [on('personality'), 0x0004_0000],
        usual: [on('personality'), 0],
      });
      expect(errors).toEqual({
        user_namespace: EPERM,
        clone3: ENOSYS,
        vsock: EPERM,
        packet: EPERM,
        alg: EPERM,
        unix: 0,
        typing: EPERM,
        no_random_addresses: EPERM,
        usual: 0,
      });
    });

    it('[hostile.S48] [sandbox.memory] memory counts wherever it is held, in folders and outside them', async () => {
      const memfd = UNCOUNTED.memfd_create[architecture];
      const held = {
        shm: 'head -c 300M /dev/zero > /dev/shm/x; stat -c %s /dev/shm/x',
        tmp: 'head -c 300M /dev/zero > /tmp/x; stat -c %s /tmp/x',
        both: 'head -c 50M /dev/zero > /tmp/x; head -c 50M /dev/zero > /dev/shm/x; sleep 20; echo 104857600',
        memfd: `perl -e 'my $name = "x"; my $fd = syscall(${memfd}, $name, 0); open(my $to, ">&=", $fd) or exit 1;
          for (1..300) { print $to "x" x 1048576 or exit 1 } print 300 * 1048576, "\\n"'`,
      };
      const limit = 64 * 1_048_576;
      for (const [place, script] of Object.entries(held)) {
        const { outcome, stdout } = await run(confinement, script, { memory_mb: 64, file_mb: 1_024 });
        const isKilled = outcome.kind === 'stopped' && outcome.cause === 'memory';
        expect([place, isKilled || Number(stdout) <= limit, outcome]).toEqual([place, true, outcome]);
      }
    });

    it('[hostile.S48] [sandbox.memory] processes that have ended hide no remaining memory', async () => {
      const ended = `perl -e 'fork || exit 0; sleep 20'`;
      const script = `${ended} & ${ended} & head -c 50M /dev/zero > /tmp/x; head -c 50M /dev/zero > /dev/shm/x; sleep 20`;
      const { outcome } = await run(confinement, script, { memory_mb: 64, file_mb: 1_024 });
      expect(outcome).toEqual({ kind: 'stopped', cause: 'memory' });
    });

    it.skipIf(counts)('[hostile.S48] [sandbox.memory] memory in sockets counts as well', async () => {
      const script = `perl -MSocket -MFcntl -e 'for (1..400) {
        socketpair(my $to, my $from, AF_UNIX, SOCK_STREAM, 0) or exit 1; push @held, $to, $from;
        fcntl($to, F_SETFL, O_NONBLOCK); 1 while syswrite($to, "x" x 65536) } sleep 20'`;
      const { outcome } = await run(confinement, script, { memory_mb: 64 });
      expect(outcome).toEqual({ kind: 'stopped', cause: 'memory' });
    });

    it('[sandbox.memory] a command that uses up its memory gets the reason', async () => {
      const { outcome } = await run(
        confinement,
        'head -c 60M /dev/zero > /tmp/x; for i in 1 2 3; do perl -e \'$x = "a" x (30 * 1024 * 1024); sleep 20\' & done; wait',
        { memory_mb: 64, file_mb: 1_024 },
      );
      expect(outcome).toEqual({ kind: 'stopped', cause: 'memory' });
    });

    it('[hostile.S48] [sandbox.system] the parts of /proc about the machine are empty, and /dev is read-only', async () => {
      const files =
        'keys key-users kcore kallsyms kpageflags kpagecount slabinfo vmallocinfo timer_list iomem interrupts';
      const folders = 'acpi fs bus irq scsi asound driver sysvipc';
      const { stdout } = await run(
        confinement,
        `{ for it in ${files}; do head -c 100 /proc/$it; done
        for it in ${folders}; do ls -A /proc/$it; done
        for it in /dev/x /dev/pts/../x /proc/fs/x /proc/acpi/x; do echo x > $it && echo "wrote $it"; done
        for it in sys/kernel/hostname sys/kernel/core_pattern sys/vm/drop_caches sys/fs/file-max sysrq-trigger mtrr; do
          # Opened, and nothing written: where that works, a word would change the machine.
          (: >> /proc/$it) && echo "opened $it"
        done; } 2> /dev/null; echo x > /dev/null; echo ok > /dev/shm/x; cat /dev/shm/x; wc -l < /proc/meminfo | grep -c .`,
      );
      expect(stdout).toBe('ok\n1\n');
    });

    it('[sandbox.filter] [sandbox.system] ordinary programs work', async () => {
      const script = `set -e; mkfifo pipe; (echo through > pipe &); cat pipe; perl -e 'my $pid = fork; exit 0 unless $pid; waitpid $pid, 0; print "forked\\n"'
        sort -u <(printf 'b\\na\\n') | tail -1; touch -d yesterday x; chmod 700 x; ln -s x y; readlink y; timeout 5 true; date > /dev/null; id -u`;
      expect(await run(confinement, script)).toEqual({
        outcome: { kind: 'exited', code: 0 },
        stdout: 'through\nforked\nb\nx\n1000\n',
        stderr: '',
      });
    });
  },
);

const hasUsr = await access('/usr/local', constants.W_OK).then(
  () => true,
  () => false,
);

it.runIf(found.bubblewrap.works && hasUsr)(
  '[hostile.S48] [sandbox.others] a data home and a configuration in a system folder are not visible either',
  async () => {
    const folder = await mkdtemp('/usr/local/agent-service-test-');
    onTestFinished(() => rm(folder, { recursive: true }));
    const [home, file] = [join(folder, 'home'), join(folder, 'config.yaml')];
    await mkdir(join(home, 'users'), { recursive: true });
    await writeFile(join(home, 'secret'), 'CANARY');
    await writeFile(file, 'CANARY');
    await writeFile(join(folder, 'beside'), 'CANARY');
    const late = join(folder, 'service.db-wal');
    const look = createConfinement({ path: sandboxOptions().path, hidden: [home, file, late] });
    await look();
    await writeFile(late, 'CANARY');
    const confinement = await look();
    const script = `ls -A ${home}; cat ${file} ${late} ${home}/secret; echo x > ${home}/x; cat ${folder}/beside`;
    const { stdout } = await run(confinement, script);
    expect(stdout).toBe('CANARY');
  },
);

it.runIf(found.groups.kind === 'usable')('[sandbox.groups] the group of a command ends with it', async () => {
  const groups = async () => {
    const folders = ['/sys/fs/cgroup', '/sys/fs/cgroup/pids', '/sys/fs/cgroup/memory'];
    const names = await Promise.all(folders.map((folder) => readdir(folder).catch(() => [])));
    return names.flat().filter((name) => name.startsWith(`agent-service-${process.pid}-`));
  };
  await run(found, '(setsid sleep 30 &); echo begun');
  await expect.poll(groups, { timeout: 20_000 }).toEqual([]);
});
