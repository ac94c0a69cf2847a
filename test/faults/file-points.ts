// Every step on the file system that others can see as a named point, put into Node's own module from outside.
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import type { AtPoint } from './crash-points.ts';

/** `file.link.before`, `file.rename.after` ... of everything that this process does from now on; `file.opendir.before` of a look. */
export function nameFileSteps(at: AtPoint): void {
  const { link, opendir, rename, unlink } = fs;
  const pointed =
    <Args extends unknown[]>(name: string, step: (...args: Args) => Promise<void>) =>
    async (...args: Args): Promise<void> => {
      await at(`file.${name}.before`);
      await step(...args);
      await at(`file.${name}.after`);
    };
  fs.link = pointed('link', link);
  fs.rename = pointed('rename', rename);
  fs.unlink = pointed('unlink', unlink);
  fs.opendir = async (...args) => {
    await at('file.opendir.before');
    return opendir(...args);
  };
  syncBuiltinESMExports();
}
