// Whether bubblewrap is there and may make the namespaces that the sandbox needs.
import { execFile } from 'node:child_process';

export type Probe = { readonly works: true } | { readonly works: false; readonly reason: string };

const PROBE_MS = 5_000;
const ARGUMENTS = [
  '--unshare-user',
  '--unshare-all',
  '--disable-userns',
  '--ro-bind',
  '/',
  '/',
  '--proc',
  '/proc',
];

/** Runs `true` in a box. Never rejects; the reason is a sentence for the operator. */
export function probeBubblewrap(path: string): Promise<Probe> {
  const { promise, resolve } = Promise.withResolvers<Probe>();
  execFile(
    'bwrap',
    [...ARGUMENTS, 'true'],
    { timeout: PROBE_MS, env: { PATH: path } },
    (error, _stdout, stderr) => {
      if (error === null) resolve({ works: true });
      else if (error.code === 'ENOENT')
        resolve({ works: false, reason: 'Install it (Debian: apt-get install bubblewrap).' });
      else
        resolve({ works: false, reason: `It may not make namespaces here: ${stderr.trim().slice(0, 200)}` });
    },
  );
  return promise;
}
