// Creates the workspace: the files of threads, what is stored beside them, and the limits on the disk.
import type { Log } from '../log.ts';
import type { ConfinementOf } from '../processes/confinement.ts';
import type { Storage } from '../storage/storage.ts';
import type { AdmitMetadata } from '../storage/usage.ts';
import { type Artifacts, createArtifacts } from './artifacts/artifacts.ts';
import { chooseConverter } from './convert/choose-converter.ts';
import { createImageStore, type ImageStore } from './images/image-store.ts';
import { createDataHomeCheck } from './quota/data-home-check.ts';
import { createDiskUse, type DiskUseOf, type DiskUseOfUser } from './quota/disk-use.ts';
import { createFreeDisk } from './quota/free-disk.ts';
import type { QuotaOptions } from './quota/quota-options.ts';
import type { SnapshotOptions } from './snapshots/snapshot-options.ts';
import { createSnapshots, type Snapshots } from './snapshots/snapshots.ts';
import { MarkdownCompanions } from './uploads/markdown-companions.ts';
import { createUploadNotes } from './uploads/upload-notes.ts';
import type { UploadOptions } from './uploads/upload-options.ts';
import { createUploads, type Uploads } from './uploads/uploads.ts';
import { createUploadsFolder, type UploadsFolder } from './uploads/uploads-folder.ts';
import { createWorkspaceFiles, type WorkspaceFilesOf } from './workspace-files.ts';

export interface Workspace {
  readonly files: WorkspaceFilesOf;
  readonly artifacts: Artifacts;
  readonly images: ImageStore;
  readonly snapshots: Snapshots;
  readonly uploads: Uploads;
  /** The uploads as the agent sees them. */
  readonly uploadsFolder: UploadsFolder;
  readonly diskUseOf: DiskUseOf;
  readonly diskUseOfUser: DiskUseOfUser;
  readonly admitMetadata: AdmitMetadata;
  /** Returns why the data home accepts no files, one sentence each. */
  checkDataHome(): Promise<readonly string[]>;
  /** Ends the conversions in progress. */
  stop(): Promise<void>;
}

interface WorkspaceParts {
  readonly dataHome: string;
  readonly options: QuotaOptions & { readonly snapshots: SnapshotOptions };
  readonly uploads: UploadOptions;
  readonly storage: Pick<Storage, 'as'>;
  readonly confinement: ConfinementOf;
  readonly log: Log;
  readonly now: () => number;
  readonly newId: () => string;
  /** Whether this process alone works on the data home. */
  readonly exclusive: boolean;
}

export function createWorkspace(parts: WorkspaceParts): Workspace {
  const { dataHome, options, storage, confinement, log, now, newId, exclusive } = parts;
  const storedBytes = (userId: string) => storedBytesOf(storage, userId);
  const { diskUseOf, diskUseOfUser, admitMetadata } = createDiskUse({ dataHome, options, storedBytes });
  const { conversion } = parts.uploads;
  const notes = createUploadNotes(dataHome, newId);
  const companions = new MarkdownCompanions({
    dataHome,
    converter: chooseConverter(conversion, confinement),
    waitMs: conversion.wait_seconds * 1_000,
    notes,
    diskUseOf,
    log,
    now,
    newId,
    exclusive,
  });
  return {
    files: createWorkspaceFiles({ dataHome, diskUseOf, newId }),
    artifacts: createArtifacts({ dataHome }),
    images: createImageStore({ dataHome, newId, diskUseOf }),
    snapshots: createSnapshots({ dataHome, diskUseOf, options: options.snapshots, now, newId }),
    uploads: createUploads({ dataHome, options: parts.uploads, diskUseOf, companions, newId }),
    uploadsFolder: createUploadsFolder(dataHome, notes),
    diskUseOf,
    diskUseOfUser,
    admitMetadata,
    checkDataHome: createDataHomeCheck({ dataHome, freeDisk: createFreeDisk(dataHome, options), newId }),
    stop: () => companions.stop(),
  };
}

/** Returns the bytes in the database that count towards a user's quota. */
async function storedBytesOf(storage: Pick<Storage, 'as'>, userId: string): Promise<number> {
  const { usage, storeItems } = storage.as(userId);
  return (await usage.metadataBytes()) + (await storeItems.use()).bytes;
}
