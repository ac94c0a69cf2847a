// `export`: writes all data of an account to a package, even while a service is running.

import { resolve } from 'node:path';
import type { Config } from '../config/schema.ts';
import type { Storage } from '../storage/storage.ts';
import type { UserRecord } from '../storage/users.ts';
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
    try {
      await refuseExisting(path);
      const { threads, bytes } = await writeAccount(context, { storage, config, user, path });
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

interface Work {
  readonly storage: Storage;
  readonly config: Config;
  readonly user: UserRecord;
  readonly path: string;
}

async function writeAccount(context: CommandContext, { storage, config, user, path }: Work) {
  const sums = { threads: 0, bytes: 0 };
  const progress = createProgress(context);
  const { exports } = openTransfer(storage, config, false);
  const zip = await exports.account({
    user,
    repositories: storage.as(user.id),
    actor: null,
    clientIp: null,
    onThread: (threads) => {
      sums.threads = threads;
    },
  });
  await writeNewFile({
    path,
    pieces: zip,
    signal: stopped(),
    onBytes(bytes) {
      sums.bytes = bytes;
      progress(`${counted(sums.threads, 'thread')}, ${megabytes(bytes)}`);
    },
  });
  return sums;
}

function stopped(): AbortSignal {
  const stop = new AbortController();
  void stopSignals().first.then(() => stop.abort());
  return stop.signal;
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}
