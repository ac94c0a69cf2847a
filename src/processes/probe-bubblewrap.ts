// Whether bubblewrap is there and may make the namespaces that the sandbox needs.
import { askProgram } from './ask-program.ts';

export type Probe = { readonly works: true } | { readonly works: false; readonly reason: string };

/** A box of everything, in which nothing is done. */
export const PROBE_ARGUMENTS: readonly string[] = [
  '--unshare-user',
  '--unshare-all',
  '--disable-userns',
  '--ro-bind',
  '/',
  '/',
  '--proc',
  '/proc',
  'true',
];

/** Runs `true` in a box. Never rejects; the reason is a sentence for the operator. `undefined`: it did not answer in time. */
export async function probeBubblewrap(path: string, timeoutMs: number): Promise<Probe | undefined> {
  const asked = { program: 'bwrap', args: PROBE_ARGUMENTS, env: { PATH: path }, timeoutMs };
  const answer = await askProgram(asked);
  switch (answer.kind) {
    case 'answered':
      return { works: true };
    case 'missing':
      return { works: false, reason: 'Install it (Debian: apt-get install bubblewrap).' };
    case 'unanswered':
      return undefined;
    case 'failed':
      return {
        works: false,
        reason: `It may not make namespaces here: ${answer.stderr.trim().slice(0, 200)}`,
      };
    default:
      return answer satisfies never;
  }
}
