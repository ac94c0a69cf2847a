// Puts the parts together that bring packages out and in.
import { RELEASE } from '../http/api/release.ts';
import { type Log } from '../log.ts';
import { type Storage } from '../storage/storage.ts';
import { type AdmitMetadata } from '../storage/usage.ts';
import { type StoreOptions } from '../store/store-options.ts';
import { type JobTaker } from '../upkeep/upkeep.ts';
import { createFreeDisk } from '../workspace/quota/free-disk.ts';
import { type QuotaOptions } from '../workspace/quota/quota-options.ts';
import { type WorkspaceFilesOf } from '../workspace/workspace-files.ts';
import { type AccountLines, type AccountSkills } from './account-parts.ts';
import { createExportService, type ExportService } from './export-service.ts';
import { createImportService, type ImportService } from './import-service.ts';
import { createImportSweeper } from './import-sweeper.ts';
import { type TransferOptions } from './transfer-options.ts';

export interface TransferRoom {
  readonly exports: ExportService;
  readonly imports: ImportService;
  /** Clears once what imports of earlier processes left. */
  readonly clearLeftImports: () => Promise<void>;
}

interface TransferRoomParts {
  readonly storage: Storage;
  readonly workspace: WorkspaceFilesOf;
  readonly skills: AccountSkills;
  readonly agents: AccountLines;
  readonly memory: AccountLines;
  readonly schedules: AccountLines;
  readonly dataHome: string;
  readonly options: TransferOptions;
  /** What the state of a thread may take. */
  readonly maxStateBytes: number;
  readonly admitMetadata: AdmitMetadata;
  /** What a user may keep in the store. */
  readonly store: StoreOptions;
  /** The floor of free space holds for a package, too. */
  readonly quota: Pick<QuotaOptions, 'min_free_mb'>;
  /** Removes the files of threads whose removal nobody has taken on. */
  readonly removeFiles: () => Promise<void>;
  readonly log: Log;
  readonly now: () => number;
  readonly newId: () => string;
  /** The process alone works on the database. */
  readonly exclusive: boolean;
  readonly upkeep: JobTaker;
}

export function createTransferRoom(parts: TransferRoomParts): TransferRoom {
  const {
    storage,
    workspace,
    skills,
    agents,
    memory,
    schedules,
    dataHome,
    options,
    store,
    quota,
    log,
    now,
    newId,
  } = parts;
  const sweeper = createImportSweeper({ ...parts, imports: storage.threadImports });
  return {
    exports: createExportService({
      workspace,
      skills,
      agents,
      memory,
      schedules,
      audit: storage.audit,
      serviceVersion: RELEASE,
      log,
      now,
    }),
    imports: createImportService({
      imports: storage.threadImports,
      workspace,
      skills,
      agents,
      memory,
      schedules,
      maxStateBytes: parts.maxStateBytes,
      itemsOf: (userId) => storage.as(userId).storeItems,
      itemLimits: {
        all: { items: store.max_items_per_user, bytes: store.max_mb_per_user * 1_048_576 },
        maxValueBytes: store.max_value_kb * 1_024,
      },
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
  };
}
