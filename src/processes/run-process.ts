// A command as a process: passes on its output, watches its limits, and kills it with its descendants.
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { Server } from 'node:net';
import { Readable } from 'node:stream';
import type { ControlGroup, ControlGroups } from './cgroup.ts';
import type { OutputListener, OutputStream, ProcessOutcome, StopCause } from './outcome.ts';
import { exceededBy, giveInputs, killGroup } from './process-tree.ts';

export interface ProcessToRun {
  readonly program: string;
  readonly args: readonly string[];
  /** The complete environment of the program. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Standard input: the descriptor of an open file, which stays open, or `pipe`. Absent: none. */
  readonly stdin?: number | 'pipe';
  /** What the program reads from descriptors 3, 4 and so on. */
  readonly inputs?: readonly (string | Uint8Array)[];
  /** It joins a group of its own, with its descendants, before it gets its inputs. Absent: no group. */
  readonly groups?: ControlGroups;
  /** Memory-backed folders that its last descendant sees. They count as memory where no group counts it. */
  readonly inMemory?: readonly string[];
  /**
   * Its output comes on the two descriptors after its inputs. Standard output and standard error are ignored.
   */
  readonly saysBeside?: boolean;
  /**
   * Receives the listening socket that the program hands over on the descriptor after its inputs. The program
   * then gets a message that the socket was taken. Called at most once.
   */
  readonly onListening?: (server: Server) => void;
  /** Started by `startProcess` with this program; it waits for its inputs. Absent: it is started now. */
  readonly started?: ChildProcess;
  /** Called when it is stopped, for a program that only asks another one to run the command. */
  readonly onStop?: () => void;
}

export interface ProcessLimits {
  readonly timeoutMs: number;
  readonly outputBytes: number;
  /** Limits of all its processes together. Absent: enforced elsewhere. */
  readonly tree?: { readonly processes: number; readonly memoryBytes: number };
  /** Called repeatedly while it runs. Resolves with why it must be stopped, or `undefined`. */
  readonly watchDisk?: () => Promise<'disk' | 'quota' | undefined>;
}

interface Listener {
  readonly signal: AbortSignal;
  readonly output: OutputListener;
}

/**
 * A process that duplicates itself becomes many within a moment, and root is exempt from the system's limit.
 */
const WATCH_MS = 100;
/** How long background processes of an ended command may hold its output open. */
const LINGER_MS = 200;

/** Starts a program that will be run with `started`. Does not give it its inputs yet. */
export function startProcess(process: Omit<ProcessToRun, 'started'>): ChildProcess {
  return spawn(process.program, process.args, spawnOptions(process));
}

/** Never rejects. Resolves with `failed` when the program cannot be started. */
export function runProcess(
  process: ProcessToRun,
  limits: ProcessLimits,
  listener: Listener,
): Promise<ProcessOutcome> {
  try {
    return new RunningProcess(process, limits, listener).outcome;
  } catch {
    // The system rejects the call itself, for example because of an argument that is too long.
    listener.output.end();
    return Promise.resolve(NOT_STARTED);
  }
}

class RunningProcess {
  readonly outcome: Promise<ProcessOutcome>;
  readonly #process: ProcessToRun;
  readonly #limits: ProcessLimits;
  readonly #listener: Listener;
  readonly #child: ChildProcess;
  #stopped: StopCause | undefined;
  #group: ControlGroup | undefined;
  #said = 0;

  constructor(process: ProcessToRun, limits: ProcessLimits, listener: Listener) {
    this.#process = process;
    this.#limits = limits;
    this.#listener = listener;
    this.#child = process.started ?? startProcess(process);
    this.outcome = this.#untilEnd();
  }

  async #untilEnd(): Promise<ProcessOutcome> {
    const child = this.#child;
    const { signal, output } = this.#listener;
    const ended = Promise.withResolvers<ProcessOutcome>();
    child.once('error', () => ended.resolve(NOT_STARTED));
    child.once('close', (code, killedBy) => ended.resolve(outcomeOf(code, killedBy)));
    child.once('exit', () => setTimeout(() => this.#kill(), LINGER_MS).unref());
    child.once('message', (_message, handle) => this.#takeOver(handle));
    const [stdout, stderr] = this.#outputs();
    this.#listen('stdout', stdout);
    this.#listen('stderr', stderr);
    const cancel = (): void => this.#stop('cancelled');
    const timer = setTimeout(() => this.#stop('timeout'), this.#limits.timeoutMs);
    const watch = setInterval(() => void this.#measure(), WATCH_MS);
    signal.addEventListener('abort', cancel, { once: true });
    if (signal.aborted) cancel();
    await this.#join().then(
      () => giveInputs(this.#child, this.#process.inputs),
      () => this.#breakOff(ended.resolve),
    );
    const outcome = await this.#settled(ended.promise);
    clearTimeout(timer);
    clearInterval(watch);
    signal.removeEventListener('abort', cancel);
    output.end();
    return this.#stopped === undefined ? outcome : { kind: 'stopped', cause: this.#stopped };
  }

  #outputs(): readonly (Readable | undefined)[] {
    // Without free descriptors there are no pipes, whatever the types say.
    const stdio: ChildProcess['stdio'] | undefined = this.#child.stdio;
    if (stdio === undefined) return [];
    const first = this.#process.saysBeside === true ? 3 + (this.#process.inputs ?? []).length : 1;
    return [stdio[first], stdio[first + 1]].map((it) => (it instanceof Readable ? it : undefined));
  }

  #listen(name: OutputStream, stream: Readable | undefined): void {
    stream?.on('data', (piece: Buffer) => {
      if (this.#stopped !== undefined) return;
      this.#said += piece.length;
      this.#listener.output.take(name, piece);
      if (this.#said > this.#limits.outputBytes) this.#stop('output');
    });
    // A pipe that breaks off ends with the process.
    stream?.on('error', () => {});
  }

  #takeOver(handle: unknown): void {
    if (handle instanceof Server) this.#process.onListening?.(handle);
    // Its end is closed first: Node reports no exit of a process whose channel was closed on this side.
    this.#child.send('taken', () => {});
  }

  async #join(): Promise<void> {
    const { groups } = this.#process;
    const { tree } = this.#limits;
    const { pid } = this.#child;
    if (groups?.kind !== 'usable' || tree === undefined || pid === undefined) return;
    this.#group = await groups.open(tree);
    await this.#group.add(pid);
  }

  /** A process that could not join its group must not run. */
  #breakOff(end: (outcome: ProcessOutcome) => void): void {
    this.#kill();
    end(NOT_STARTED);
  }

  /** A process that the kernel killed in the group lacked memory, whatever its parent made of that. */
  async #settled(ended: Promise<ProcessOutcome>): Promise<ProcessOutcome> {
    const outcome = await ended;
    this.#stopped ??= await this.#group?.exceeded();
    this.#group?.end();
    return outcome;
  }

  async #measure(): Promise<void> {
    const { watchDisk } = this.#limits;
    const cause = (await this.#exceeded()) ?? (await watchDisk?.().catch(() => undefined));
    if (cause !== undefined) this.#stop(cause);
  }

  async #exceeded(): Promise<StopCause | undefined> {
    const { tree } = this.#limits;
    const { pid } = this.#child;
    if (tree === undefined || pid === undefined) return undefined;
    return exceededBy(pid, { group: this.#group, limits: tree, inMemory: this.#process.inMemory });
  }

  #stop(cause: StopCause): void {
    if (this.#stopped !== undefined) return;
    this.#stopped = cause;
    this.#process.onStop?.();
    this.#kill();
  }

  #kill(): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    killGroup(pid);
    for (const output of this.#outputs()) output?.destroy();
  }
}

function spawnOptions({ env, cwd, stdin, inputs = [], saysBeside, onListening }: ProcessToRun): SpawnOptions {
  const outputs = ['pipe', 'pipe'] as const;
  const channel = onListening === undefined ? [] : (['ipc'] as const);
  const given = inputs.map(() => 'pipe' as const);
  return {
    env: { ...env },
    ...(cwd === undefined ? {} : { cwd }),
    // A process group of its own, so that all its processes can be killed together.
    detached: true,
    stdio:
      saysBeside === true
        ? [stdin ?? 'ignore', 'ignore', 'ignore', ...given, ...outputs]
        : [stdin ?? 'ignore', ...outputs, ...given, ...channel],
    windowsHide: true,
  };
}

/** The message for a sandbox that does not work. The `doctor` command shows the operator why. */
export const NOT_STARTED: ProcessOutcome = {
  kind: 'failed',
  message:
    'The sandbox could not be started. Tell the person that an administrator can run the doctor command.',
};

function outcomeOf(code: number | null, signal: NodeJS.Signals | null): ProcessOutcome {
  if (code !== null) return { kind: 'exited', code };
  return { kind: 'signalled', signal: signal ?? 'SIGKILL' };
}
