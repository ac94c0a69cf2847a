// A short question to a program of the machine, such as an engine of containers.
import { execFile } from 'node:child_process';

interface ProgramQuestion {
  readonly program: string;
  readonly args: readonly string[];
  /** The whole environment of the program. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

export type ProgramOutcome =
  | { readonly kind: 'answered'; readonly stdout: string }
  /** It is not installed. */
  | { readonly kind: 'missing' }
  /** It took too long, or the machine lacks the resources to start it: a later try may succeed. */
  | { readonly kind: 'unanswered' }
  | { readonly kind: 'failed'; readonly stderr: string };

/** What the system says when it has too many processes, open files or too little memory. */
const NO_SPACE = new Set(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM']);

/** Never rejects. */
export function askProgram({ program, args, env, timeoutMs }: ProgramQuestion): Promise<ProgramOutcome> {
  const { promise, resolve } = Promise.withResolvers<ProgramOutcome>();
  execFile(program, args, { env, timeout: timeoutMs, killSignal: 'SIGKILL' }, (error, stdout, stderr) => {
    if (error === null) resolve({ kind: 'answered', stdout });
    else if (error.code === 'ENOENT') resolve({ kind: 'missing' });
    else if (error.killed === true || NO_SPACE.has(String(error.code))) resolve({ kind: 'unanswered' });
    else resolve({ kind: 'failed', stderr });
  });
  return promise;
}
