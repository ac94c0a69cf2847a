// What every box of bubblewrap has of the system.
import { lstat } from 'node:fs/promises';

/** Programs and libraries, laid out as outside: merged into `/usr`, or beside it on older systems. */
export async function systemArguments(): Promise<readonly string[]> {
  const args = ['--ro-bind', '/usr', '/usr'];
  for (const name of ['bin', 'sbin', 'lib', 'lib64', 'lib32']) {
    const entry = await lstat(`/${name}`).catch(() => undefined);
    if (entry?.isSymbolicLink() === true) args.push('--symlink', `usr/${name}`, `/${name}`);
    else if (entry !== undefined) args.push('--ro-bind', `/${name}`, `/${name}`);
  }
  return args;
}
