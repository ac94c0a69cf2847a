// Puts the parts together that take in what people hand in.
import type { Log } from '../log.ts';
import type { ConfinementOf } from '../processes/confinement.ts';
import { chooseConverter } from './convert/choose-converter.ts';
import type { DiskUseOf } from './quota/disk-use.ts';
import { createMarkdownCompanions } from './uploads/markdown-companions.ts';
import { createUploadNotes } from './uploads/upload-notes.ts';
import type { UploadOptions } from './uploads/upload-options.ts';
import { createUploads, type Uploads } from './uploads/uploads.ts';
import { createUploadsFolder, type UploadsFolder } from './uploads/uploads-folder.ts';

interface UploadRoomParts {
  readonly dataHome: string;
  readonly uploads: UploadOptions;
  readonly diskUseOf: DiskUseOf;
  readonly confinement: ConfinementOf;
  readonly log: Log;
  readonly now: () => number;
  readonly newId: () => string;
  /** The process alone works on the data home. */
  readonly exclusive: boolean;
}

interface UploadRoom {
  readonly uploads: Uploads;
  /** For the agent. */
  readonly folder: UploadsFolder;
  /** Ends the conversions that are under way. */
  stop(): Promise<void>;
}

export function createUploadRoom(parts: UploadRoomParts): UploadRoom {
  const { dataHome, uploads: options, diskUseOf, newId, confinement } = parts;
  const notes = createUploadNotes(dataHome, newId);
  const converter = chooseConverter(options.conversion, confinement);
  const waitMs = options.conversion.wait_seconds * 1_000;
  const companions = createMarkdownCompanions({ ...parts, converter, waitMs, notes });
  const uploads = createUploads({ dataHome, options, diskUseOf, companions, newId });
  return { uploads, folder: createUploadsFolder(dataHome, notes), stop: () => companions.stop() };
}
