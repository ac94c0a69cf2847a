// A short query to a program of the machine, such as a container engine.
import { execFile } from 'node:child_process';

interface ProgramQuestion {
  readonly program: string;
  readonly args: readonly string[];
  /** The complete environment of the program. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

export type ProgramOutcome =
  | { readonly kind: 'answered'; readonly stdout: string }
  /** The program is not installed. */
  | { readonly kind: 'missing' }
  /** It took too long, or the machine lacked the resources to start it. A later try may succeed. */
  | { readonly kind: 'unanswered' }
  | { readonly kind: 'failed'; readonly stderr: string };

/** Error codes for too many processes, too many open files or too little memory. */
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
