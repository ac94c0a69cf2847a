// The filter of system calls, judged by an interpreter of its program; that the kernel takes it is seen in real boxes.
import { describe, expect, it } from 'vitest';
import { architectureOf, type SharedMemory, seccompFilter } from '../../src/processes/seccomp/filter.ts';
import { type Architecture, JUDGED, REFUSED, UNCOUNTED } from '../../src/processes/seccomp/system-calls.ts';
import { verdictOf } from './bpf-machine.ts';

const ALLOWED = 0x7fff_0000;
const KILLED = 0x8000_0000;
const EPERM = 0x0005_0001;
const ENOSYS = 0x0005_0026;
const AUDIT = { x64: 0xc000_003e, arm64: 0xc000_00b7 } as const;
const I386 = 0x4000_0003;
/** Of `read`, `write`, `openat`, `execve`, `mmap`, `futex`, `exit_group`, `prctl`, `getrandom` and `seccomp`. */
const ORDINARY = {
  x64: [0, 1, 257, 59, 9, 202, 231, 157, 318, 317],
  arm64: [63, 64, 56, 221, 222, 98, 94, 167, 278, 277],
} as const;

describe.each(['x64', 'arm64'] as const)('on %s', (architecture: Architecture) => {
  const judge = (number: number | null, args: readonly bigint[] = [], shared: SharedMemory = 'counted') =>
    verdictOf(seccompFilter(architecture, shared), {
      architecture: AUDIT[architecture],
      number: number ?? -1 >>> 0,
      arguments: args,
    });
  const numberOf = (name: keyof typeof JUDGED) => JUDGED[name][architecture];

  it('[sandbox.filter] what programs need is allowed, and every call of the list is refused', () => {
    for (const number of ORDINARY[architecture]) expect([number, judge(number)]).toEqual([number, ALLOWED]);
    for (const [name, { [architecture]: number }] of Object.entries(REFUSED))
      if (number !== null) expect([name, judge(number)]).toEqual([name, EPERM]);
  });

  it('[sandbox.filter] memory that is not counted is refused', () => {
    for (const { [architecture]: number } of Object.values(UNCOUNTED))
      expect([judge(number), judge(number, [], 'refused')]).toEqual([ALLOWED, EPERM]);
  });

  it('[sandbox.filter] processes and threads may be made, namespaces may not', () => {
    const thread = 0x3d_0f00n;
    expect([judge(numberOf('clone'), [17n]), judge(numberOf('clone'), [thread])]).toEqual([ALLOWED, ALLOWED]);
    for (let bit = 0n; bit < 32n; bit++) {
      const isNamespace = [17n, 25n, 26n, 27n, 28n, 29n, 30n].includes(bit);
      const verdict = judge(numberOf('clone'), [(1n << bit) | 17n]);
      expect([bit, verdict]).toEqual([bit, isNamespace || bit === 7n ? EPERM : ALLOWED]);
    }
    expect(judge(numberOf('clone3'), [0n, 88n])).toBe(ENOSYS);
  });

  it('[sandbox.filter] sockets are those of files and of the internet, and nobody types into a terminal', () => {
    for (const name of ['socket', 'socketpair'] as const)
      for (let family = 0n; family < 50n; family++)
        expect([family, judge(numberOf(name), [family])]).toEqual([
          family,
          [1n, 2n, 10n, 16n].includes(family) ? ALLOWED : EPERM,
        ]);
    // The kernel sees 32 bits; what is above them is no disguise.
    expect(judge(numberOf('socket'), [(7n << 32n) | 40n])).toBe(EPERM);
    for (const request of [0x5412n, 0x541cn, 0x5423n, 0xffff_0000_0000_5412n])
      expect([request, judge(numberOf('ioctl'), [0n, request])]).toEqual([request, EPERM]);
    expect(judge(numberOf('ioctl'), [0n, 0x5401n])).toBe(ALLOWED);
  });

  it('[sandbox.filter] the personality stays the usual one', () => {
    const asked = [0n, 0xffff_ffffn, 0x0004_0000n, 8n];
    expect(asked.map((it) => judge(numberOf('personality'), [it]))).toEqual([ALLOWED, ALLOWED, EPERM, EPERM]);
  });

  it('[sandbox.filter] calls of another architecture end the process, those of x32 are refused', () => {
    const program = seccompFilter(architecture, 'counted');
    const others = [I386, architecture === 'x64' ? AUDIT.arm64 : AUDIT.x64, 0];
    for (const other of others)
      expect(verdictOf(program, { architecture: other, number: 1, arguments: [] })).toBe(KILLED);
    if (architecture === 'x64') expect(judge(0x4000_0001)).toBe(EPERM);
  });
});

it('[sandbox.filter] there is none for an unknown architecture', () => {
  expect(['x64', 'arm64', 'riscv64', 'ia32'].map(architectureOf)).toEqual([
    'x64',
    'arm64',
    undefined,
    undefined,
  ]);
});
