// `export`: writes all data of an account to a package, even while a service is running.

import { resolve } from 'node:path';
import { type CommandContext, counted, createProgress, type ExitCode, megabytes } from './command.ts';
import { fileFailure, refuseExisting, writeNewFile } from './command-files.ts';
import { openTransfer } from './open-transfer.ts';
import { stopSignals } from './stop-signals.ts';
import { accountOf, withStorage } from './with-storage.ts';

export interface ExportOptions {
  readonly email: string;
  /** The new file, relative to the working directory. */
  readonly to: string;
}

/**
 * Exports an account. An expected error or a stop signal leaves no file. The audit log names the operator as
 * the actor.
 */
export function exportAccount(context: CommandContext, { email, to }: ExportOptions): Promise<ExitCode> {
  const path = resolve(context.cwd, to);
  return withStorage(context, async (storage, config) => {
    const user = await accountOf(storage, email);
    const { exports } = openTransfer(storage, config, false);
    const progress = createProgress(context);
    let threads = 0;
    try {
      await refuseExisting(path);
      const pieces = await exports.account({
        user,
        repositories: storage.as(user.id),
        actor: null,
        clientIp: null,
        onThread: (added) => {
          threads = added;
        },
      });
      const onBytes = (bytes: number) => progress(`${counted(threads, 'thread')}, ${megabytes(bytes)}`);
      const bytes = await writeNewFile({ path, pieces, signal: stopped(), onBytes });
      context.print(
        `Exported ${counted(threads, 'thread')} of ${user.email} to ${path}, ${megabytes(bytes)}.`,
      );
      return 0;
    } catch (error) {
      const sentence = isAbort(error) ? 'Stopped.' : fileFailure(error, path);
      if (sentence === undefined) throw error;
      context.print(`${sentence} Nothing was exported.`);
      return 1;
    }
  });
}

function stopped(): AbortSignal {
  const stop = new AbortController();
  void stopSignals().first.then(() => stop.abort());
  return stop.signal;
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}
