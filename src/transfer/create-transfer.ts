// Creates the export and import of packages.
import type { Log } from '../log.ts';
import type { AccountSkills, LineParts } from '../storage/account-packages.ts';
import type { Storage } from '../storage/storage.ts';
import type { AdmitMetadata } from '../storage/usage.ts';
import type { JobTaker } from '../upkeep/upkeep.ts';
import { createFreeDisk } from '../workspace/quota/free-disk.ts';
import type { QuotaOptions } from '../workspace/quota/quota-options.ts';
import type { WorkspaceFilesOf } from '../workspace/workspace-files.ts';
import { createExportService, type ExportService } from './export-service.ts';
import { createImportService, type ImportService } from './import-service.ts';
import { createImportSweeper } from './import-sweeper.ts';
import type { TransferOptions } from './transfer-options.ts';

export interface Transfer {
  readonly exports: ExportService;
  readonly imports: ImportService;
  /** Removes once the remains of imports by earlier processes. */
  readonly clearAbandonedImports: () => Promise<void>;
}

interface TransferParts {
  readonly storage: Storage;
  readonly files: WorkspaceFilesOf;
  readonly skills: AccountSkills;
  readonly lines: LineParts;
  readonly dataHome: string;
  readonly options: TransferOptions;
  /** The largest state of a thread, in bytes. */
  readonly maxStateBytes: number;
  readonly admitMetadata: AdmitMetadata;
  /** Limits of a user's store. */
  readonly store: {
    readonly max_items_per_user: number;
    readonly max_mb_per_user: number;
    readonly max_value_kb: number;
  };
  /** The release of the service, recorded in its packages. */
  readonly serviceVersion: string;
  /** The minimum of free space applies to packages, too. */
  readonly quota: Pick<QuotaOptions, 'min_free_mb'>;
  /** Removes the files of removed threads that no process has claimed. */
  readonly removeFiles: () => Promise<void>;
  readonly log: Log;
  readonly now: () => number;
  readonly newId: () => string;
  /** True when no other process uses the database. */
  readonly exclusive: boolean;
  readonly upkeep: JobTaker;
}

export function createTransfer(parts: TransferParts): Transfer {
  const { storage, files, skills, lines, dataHome, options, store, quota } = parts;
  const { maxStateBytes, admitMetadata, removeFiles, exclusive, upkeep, log, now, newId } = parts;
  const { threadImports: imports } = storage;
  const sweeper = createImportSweeper({ imports, removeFiles, now, exclusive, upkeep });
  return {
    exports: createExportService({
      workspace: files,
      skills,
      lines,
      audit: storage.audit,
      serviceVersion: parts.serviceVersion,
      log,
      now,
    }),
    imports: createImportService({
      imports,
      workspace: files,
      skills,
      lines,
      maxStateBytes,
      itemsOf: (userId) => storage.as(userId).storeItems,
      itemLimits: {
        all: { items: store.max_items_per_user, bytes: store.max_mb_per_user * 1_048_576 },
        maxValueBytes: store.max_value_kb * 1_024,
      },
      admitMetadata,
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
    clearAbandonedImports: sweeper.sweep,
  };
}
