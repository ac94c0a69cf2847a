// Which system calls a boxed process may make, as a program for the kernel.
import { assemble, type Step } from './bpf.ts';
import { type Architecture, JUDGED, type Numbers, REFUSED, UNCOUNTED } from './system-calls.ts';

/** Whether memory that belongs to no process is counted. Where it is not, there must be none. */
export type SharedMemory = 'counted' | 'refused';

/** Verdicts of the kernel's `linux/seccomp.h`. A refusal includes an error number. */
const ALLOW = 0x7fff_0000;
const KILL_PROCESS = 0x8000_0000;
const REFUSE = 0x0005_0000;
const EPERM = 1;
const ENOSYS = 38;

/** Offsets in `struct seccomp_data`; of arguments, the lower 32 bits. */
const NUMBER = 0;
const ARCHITECTURE = 4;
const argument = (index: number): number => 16 + 8 * index;

/** `AUDIT_ARCH_X86_64` and `AUDIT_ARCH_AARCH64`. */
const AUDIT: Readonly<Record<Architecture, number>> = { x64: 0xc000_003e, arm64: 0xc000_00b7 };
/** Calls of x32, which shares the architecture of x64, have this bit. */
const X32 = 0x4000_0000;

/** `CLONE_NEWTIME`, `NS`, `CGROUP`, `UTS`, `IPC`, `USER`, `PID` and `NET`. */
const NEW_NAMESPACES = 0x7e02_0080;
/** `AF_UNIX`, `AF_INET`, `AF_INET6` and `AF_NETLINK`, with which a program reads its own addresses. */
const SOCKETS = [1, 2, 10, 16];
/**
 * `TIOCSTI` and `TIOCLINUX` type into a terminal that others read; `TIOCSETD` makes the kernel load drivers.
 */
const TERMINAL = [0x5412, 0x541c, 0x5423];
/** The usual personality, and the query for the current one. */
const PERSONALITIES = [0, 0xffff_ffff];

/** Returns `undefined` when the system calls of this architecture are unknown. */
export function architectureOf(name: string): Architecture | undefined {
  return name === 'x64' || name === 'arm64' ? name : undefined;
}

/**
 * Refused calls fail with EPERM, so that programs continue without them. `clone3`, whose arguments a filter
 * cannot read, is reported as missing, so that the C library uses `clone`. A call of another architecture
 * ends the process.
 */
export function seccompFilter(architecture: Architecture, sharedMemory: SharedMemory): Buffer {
  const refused = { ...REFUSED, ...(sharedMemory === 'counted' ? {} : UNCOUNTED) };
  const on = (numbers: Numbers): readonly number[] => {
    const number = numbers[architecture];
    return number === null ? [] : [number];
  };
  return assemble([
    { do: 'load', offset: ARCHITECTURE },
    jump('equal', AUDIT[architecture], 'known'),
    { do: 'return', verdict: KILL_PROCESS },
    { do: 'label', name: 'known' },
    { do: 'load', offset: NUMBER },
    ...(architecture === 'x64' ? [jump('at least', X32, 'refuse')] : []),
    ...on(JUDGED.clone).map((number) => jump('equal', number, 'clone')),
    ...on(JUDGED.socket).map((number) => jump('equal', number, 'socket')),
    ...on(JUDGED.socketpair).map((number) => jump('equal', number, 'socket')),
    ...on(JUDGED.ioctl).map((number) => jump('equal', number, 'ioctl')),
    ...on(JUDGED.personality).map((number) => jump('equal', number, 'personality')),
    ...on(JUDGED.clone3).map((number) => jump('equal', number, 'missing')),
    ...Object.values(refused)
      .flatMap(on)
      .map((number) => jump('equal', number, 'refuse')),
    { do: 'return', verdict: ALLOW },
    ...judged('clone', 0, [jump('any bit', NEW_NAMESPACES, 'refuse'), always('allow')]),
    ...judged('socket', 0, [...equalTo(SOCKETS, 'allow'), always('refuse')]),
    ...judged('ioctl', 1, [...equalTo(TERMINAL, 'refuse'), always('allow')]),
    ...judged('personality', 0, [...equalTo(PERSONALITIES, 'allow'), always('refuse')]),
    { do: 'label', name: 'missing' },
    { do: 'return', verdict: REFUSE | ENOSYS },
    { do: 'label', name: 'refuse' },
    { do: 'return', verdict: REFUSE | EPERM },
    { do: 'label', name: 'allow' },
    { do: 'return', verdict: ALLOW },
  ]);
}

/** Tests an argument of the call. */
function judged(name: string, index: number, tests: readonly Step[]): readonly Step[] {
  return [{ do: 'label', name }, { do: 'load', offset: argument(index) }, ...tests];
}

/** Jumps in any case, because every value is at least 0. */
function always(then: string): Step {
  return jump('at least', 0, then);
}

function equalTo(values: readonly number[], then: string): readonly Step[] {
  return values.map((value) => jump('equal', value, then));
}

function jump(when: 'equal' | 'at least' | 'any bit', value: number, then: string): Step {
  return { do: 'jump', when, value, then };
}
