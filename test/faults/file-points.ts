// Makes every visible step on the file system a named point, by patching Node's own module.
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import type { AtPoint } from './crash-points.ts';

/**
 * Adds `file.link.before`, `file.rename.after` ... and `file.opendir.before` to all steps of this process.
 */
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
