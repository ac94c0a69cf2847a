// Puts the parts together that bring packages out and in.
import type { Upkeep } from './create-thread-room.ts';
import { RELEASE } from './http/release.ts';
import type { Log } from './log.ts';
import type { Storage } from './storage/storage.ts';
import type { AdmitMetadata } from './storage/usage.ts';
import { createExportService, type ExportService } from './transfer/export-service.ts';
import { createImportService, type ImportService } from './transfer/import-service.ts';
import { createImportSweeper } from './transfer/import-sweeper.ts';
import type { TransferOptions } from './transfer/transfer-options.ts';
import { createFreeDisk } from './workspace/quota/free-disk.ts';
import type { QuotaOptions } from './workspace/quota/quota-options.ts';
import type { WorkspaceFilesOf } from './workspace/workspace-files.ts';

export interface TransferRoom {
  readonly exports: ExportService;
  readonly imports: ImportService;
  /** Clears once what imports of earlier processes left. */
  readonly clearLeftImports: () => Promise<void>;
  readonly upkeep: Upkeep;
}

interface TransferRoomParts {
  readonly storage: Storage;
  readonly workspace: WorkspaceFilesOf;
  readonly dataHome: string;
  readonly options: TransferOptions;
  /** What the state of a thread may take. */
  readonly maxStateBytes: number;
  readonly admitMetadata: AdmitMetadata;
  /** The floor of free space holds for a package, too. */
  readonly quota: Pick<QuotaOptions, 'min_free_mb'>;
  /** Removes the files of threads whose removal nobody has taken on. */
  readonly removeFiles: () => Promise<void>;
  readonly log: Log;
  readonly now: () => number;
  readonly newId: () => string;
  /** The process alone works on the database. */
  readonly exclusive: boolean;
}

export function createTransferRoom(parts: TransferRoomParts): TransferRoom {
  const { storage, workspace, dataHome, options, quota, log, now, newId } = parts;
  const sweeper = createImportSweeper({ ...parts, imports: storage.threadImports });
  return {
    exports: createExportService({ workspace, audit: storage.audit, serviceVersion: RELEASE, log, now }),
    imports: createImportService({
      imports: storage.threadImports,
      workspace,
      maxStateBytes: parts.maxStateBytes,
      admitMetadata: parts.admitMetadata,
      spool: {
        dataHome,
        maxBytes: options.max_package_mb * 1_048_576,
        freeDisk: createFreeDisk(dataHome, quota),
        newId,
      },
      options,
      clearAway: sweeper.clearAway,
      log,
      now,
      newId,
    }),
    clearLeftImports: sweeper.sweep,
    upkeep: { start: sweeper.start, stop: sweeper.stop },
  };
}
