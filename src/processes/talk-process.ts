// A long-lived program that communicates over standard input and output, and is killed with its descendants.
import type { ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { ControlGroup } from './cgroup.ts';
import { createPace } from './pace.ts';
import { exceededBy, giveInputs, killGroup } from './process-tree.ts';
import { type ProcessToRun, startProcess } from './run-process.ts';

export type ProcessToTalkWith = Pick<
  ProcessToRun,
  'program' | 'args' | 'env' | 'cwd' | 'inputs' | 'groups' | 'inMemory'
>;

/** Limits of all its processes together. */
export interface TalkLimits {
  readonly processes: number;
  readonly memoryBytes: number;
}

export interface TalkListener {
  /** Called with its standard output, cut at any byte. Reading pauses until this resolves. */
  said(piece: Buffer): Promise<void>;
  /** Called once, when it has ended or was ended. The reason is a clause such as `it ended with code 1`. */
  ended(reason: string): void;
}

export interface TalkingProcess {
  /** Resolves when more may be written. Rejects when it no longer reads. */
  write(text: string): Promise<void>;
  /** Returns the end of its standard error. For the operator alone, because it may contain anything. */
  lastWords(): string;
  /** Closes its input, then soon kills it and its descendants. Resolves when it is gone; idempotent. */
  end(): Promise<void>;
}

/** As in `runProcess`, but less often, because these programs live for hours. */
const WATCH_MS = 1_000;
const GRACE_MS = 500;
const WORDS_KEPT = 2_000;
/** Bytes of its standard error in one interval. */
const WORDS_AT_ONCE = 65_536;

/** Never throws. When the program cannot be started, `ended` is called. */
export function talkWithProcess(
  process: ProcessToTalkWith,
  limits: TalkLimits,
  listener: TalkListener,
): TalkingProcess {
  return new Talk(process, limits, listener);
}

class Talk implements TalkingProcess {
  readonly #process: ProcessToTalkWith;
  readonly #limits: TalkLimits;
  readonly #child: ChildProcess | undefined;
  readonly #gone = Promise.withResolvers<void>();
  readonly #watch: NodeJS.Timeout;
  #group: ControlGroup | undefined;
  /** Why the service killed it. */
  #cause: string | undefined;
  #isGone = false;
  #words = '';

  constructor(toRun: ProcessToTalkWith, limits: TalkLimits, listener: TalkListener) {
    this.#process = toRun;
    this.#limits = limits;
    this.#watch = setInterval(() => void this.#measure(), WATCH_MS).unref();
    const end = (reason: string): void => {
      if (this.#isGone) return;
      this.#isGone = true;
      clearInterval(this.#watch);
      this.#kill();
      void this.#cleared(reason).then((ended) => {
        this.#gone.resolve();
        listener.ended(ended);
      });
    };
    this.#child = started(toRun);
    const { stdout, stderr, stdin } = this.#child ?? {};
    if (this.#child === undefined) {
      queueMicrotask(() => end(NOT_STARTED));
      return;
    }
    this.#child.once('error', () => end(NOT_STARTED));
    this.#child.once('exit', (code, signal) => end(reasonOf(code, signal)));
    for (const stream of [stdout, stderr, stdin]) stream?.on('error', () => {});
    const pace = createPace(WORDS_AT_ONCE);
    this.#listen(stdout, (piece) => listener.said(piece));
    this.#listen(stderr, async (piece) => {
      this.#words = (this.#words + piece.toString('latin1', Math.max(0, piece.length - WORDS_KEPT))).slice(
        -WORDS_KEPT,
      );
      await pace(piece.length);
    });
    const child = this.#child;
    void this.#join().then(
      () => giveInputs(child, toRun.inputs),
      () => this.#stop('its limits could not be applied'),
    );
  }

  async write(text: string): Promise<void> {
    const input: Writable | null | undefined = this.#child?.stdin;
    if (this.#isGone || input === null || input === undefined || !input.writable)
      throw new Error('It has ended.');
    if (input.write(text)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    input.once('drain', resolve);
    await Promise.race([promise, this.#gone.promise]);
    input.removeListener('drain', resolve);
  }

  lastWords(): string {
    return Buffer.from(this.#words, 'latin1').toString('utf8');
  }

  async end(): Promise<void> {
    if (!this.#isGone) {
      this.#child?.stdin?.end();
      const timer = setTimeout(() => this.#stop('it was ended'), GRACE_MS);
      await this.#gone.promise;
      clearTimeout(timer);
    }
    await this.#gone.promise;
  }

  /** Handles one piece at a time. */
  #listen(stream: Readable | null | undefined, hear: (piece: Buffer) => Promise<void>): void {
    stream?.on('data', (piece: Buffer) => {
      stream.pause();
      hear(piece).then(
        () => stream.resume(),
        () => this.#stop('its output could not be read'),
      );
    });
  }

  async #join(): Promise<void> {
    const { groups } = this.#process;
    const pid = this.#child?.pid;
    if (groups?.kind !== 'usable' || pid === undefined) return;
    const group = await groups.open(this.#limits);
    // It ended in between and was cleared away without this group.
    if (this.#isGone) return group.end();
    this.#group = group;
    await group.add(pid);
  }

  async #measure(): Promise<void> {
    const pid = this.#child?.pid;
    if (pid === undefined) return;
    const held = { group: this.#group, limits: this.#limits, inMemory: this.#process.inMemory };
    const exceeded = await exceededBy(pid, held);
    if (exceeded !== undefined) this.#stop(EXCEEDED[exceeded]);
  }

  #stop(cause: string): void {
    this.#cause ??= cause;
    this.#kill();
  }

  /** If the kernel killed it for lack of memory, that is a better reason than the signal. */
  async #cleared(reason: string): Promise<string> {
    const exceeded = await this.#group?.exceeded().catch(() => undefined);
    this.#group?.end();
    return this.#cause ?? (exceeded === undefined ? reason : EXCEEDED[exceeded]);
  }

  #kill(): void {
    const pid = this.#child?.pid;
    if (pid !== undefined) killGroup(pid);
    for (const stream of [this.#child?.stdin, this.#child?.stdout, this.#child?.stderr]) stream?.destroy();
  }
}

const NOT_STARTED = 'it could not be started';
const EXCEEDED = {
  memory: 'it exceeded its memory limit',
  processes: 'it exceeded its process limit',
} as const;

function reasonOf(code: number | null, signal: NodeJS.Signals | null): string {
  return code === null ? `it was ended by ${signal ?? 'a signal'}` : `it ended with code ${code}`;
}

function started(process: ProcessToTalkWith): ChildProcess | undefined {
  try {
    return startProcess({ ...process, stdin: 'pipe' });
  } catch {
    // The system rejects the call itself, for example because of an argument that is too long.
    return undefined;
  }
}
