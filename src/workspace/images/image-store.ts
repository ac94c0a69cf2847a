// Images that agents view: checked, and saved as they were at that moment, beside the thread's files.
import { hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { imageSize } from 'image-size';
import { invalid, ServiceError } from '../../errors.ts';
import { insideDataHome } from '../folder.ts';
import { parseFilePath, threadFolderNames, userDataNames, type WorkspacePlace } from '../paths.ts';
import { replacePlainFile, usePlainFile } from '../plain-file.ts';
import { type DiskUseOf, NO_LIMITS } from '../quota/disk-use.ts';
import { describingFailures, ifReadable } from '../workspace-failure.ts';
import { type ViewedImage, viewedImageSchema } from './viewed-image.ts';

export interface ImageStore {
  /**
   * Saves the image as it is now; `undefined` for a file that is not an image. Throws `invalid` with a
   * sentence for the model when it is too large to be shown, and errors that prevent reading the file.
   */
  view(place: WorkspacePlace, path: string): Promise<ViewedImage | undefined>;
  /** Returns the image as it was viewed; `undefined` when it is no longer available. */
  bytesOf(place: WorkspacePlace, image: ViewedImage): Promise<Buffer | undefined>;
}

interface ImageStoreParts {
  readonly dataHome: string;
  readonly newId: () => string;
  /** Absent: no limits. */
  readonly diskUseOf?: DiskUseOf;
}

/** The size that every provider accepts: 5 MiB as base64. */
const MAX_BYTES = 3_932_160;
const MAX_SIDE = 8_000;
const FOLDER = 'viewed-images';

export function createImageStore(parts: ImageStoreParts): ImageStore {
  return {
    async view(place, path) {
      const { text } = parseFilePath(path);
      const bytes = await readImage(parts.dataHome, place, text);
      const facts = imageFacts(bytes.content);
      if (facts === undefined) return undefined;
      if (bytes.size > MAX_BYTES)
        throw tooLarge(text, `${(bytes.size / 1_048_576).toFixed(1)} MiB`, 'images over 3.75 MiB');
      if (Math.max(facts.width, facts.height) > MAX_SIDE)
        throw tooLarge(
          text,
          `${facts.width} x ${facts.height} pixels`,
          `images over ${MAX_SIDE} pixels a side`,
        );
      const sha256 = hash('sha256', bytes.content);
      await keep(parts, place, { sha256, content: bytes.content });
      return { path: text, size: bytes.size, sha256, ...facts };
    },
    async bytesOf(place, image) {
      const checked = viewedImageSchema.safeParse(image);
      if (!checked.success) return undefined;
      return (
        (await keptBytes(parts.dataHome, place, checked.data)) ??
        (await sameFile(parts.dataHome, place, image))
      );
    },
  };
}

interface ImageBytes {
  readonly size: number;
  /** For a file that is too large, only its beginning. */
  readonly content: Buffer;
}

function readImage(dataHome: string, place: WorkspacePlace, path: string): Promise<ImageBytes> {
  const { names } = parseFilePath(path);
  const folder = [...userDataNames(place), ...names.slice(0, -1)];
  return describingFailures(path, () =>
    insideDataHome(dataHome, { names: folder, create: false }, (inside) =>
      usePlainFile(
        { folder: inside, name: names.at(-1) ?? '', shownAs: path },
        async ({ handle, stats }) => ({
          size: stats.size,
          content: await firstBytes(handle, Math.min(stats.size, MAX_BYTES)),
        }),
      ),
    ),
  );
}

async function firstBytes(handle: FileHandle, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(length), 0, length, 0);
  return buffer.subarray(0, bytesRead);
}

/** Under its hash, so an existing file is the same image. If the disk is full, only the original remains. */
async function keep(
  { dataHome, newId, diskUseOf = NO_LIMITS }: ImageStoreParts,
  place: WorkspacePlace,
  { sha256, content }: { readonly sha256: string; readonly content: Buffer },
): Promise<void> {
  const kept = describingFailures('The image', () =>
    insideDataHome(dataHome, { names: [...threadFolderNames(place), FOLDER], create: true }, (folder) =>
      replacePlainFile({ folder, name: sha256, shownAs: 'The image' }, content, {
        dataHome,
        newId,
        diskUse: diskUseOf(place),
      }),
    ),
  );
  await kept.catch((error: unknown) => {
    if (!(error instanceof ServiceError)) throw error;
  });
}

function keptBytes(
  dataHome: string,
  place: WorkspacePlace,
  { sha256, size }: ViewedImage,
): Promise<Buffer | undefined> {
  return ifReadable(
    insideDataHome(dataHome, { names: [...threadFolderNames(place), FOLDER], create: false }, (folder) =>
      usePlainFile({ folder, name: sha256, shownAs: 'The image' }, ({ handle }) => firstBytes(handle, size)),
    ),
  );
}

/** A copied or imported thread has its files, but not what was saved beside them. */
async function sameFile(
  dataHome: string,
  place: WorkspacePlace,
  image: ViewedImage,
): Promise<Buffer | undefined> {
  const bytes = await readImage(dataHome, place, image.path).catch(() => undefined);
  return bytes?.size === image.size && hash('sha256', bytes.content) === image.sha256
    ? bytes.content
    : undefined;
}

function tooLarge(path: string, size: string, refused: string): ServiceError {
  return invalid(
    `${path} has ${size}, and ${refused} cannot be shown. Make a smaller copy of it and view that.`,
  );
}

type ImageFacts = Pick<ViewedImage, 'mime_type' | 'width' | 'height'>;

/** The first bytes of each format; of WebP, those after the first eight. */
const BEGINNINGS: readonly (readonly [ImageFacts['mime_type'], string, number])[] = [
  ['image/png', '89504e470d0a1a0a', 0],
  ['image/jpeg', 'ffd8ff', 0],
  ['image/gif', '474946383761', 0],
  ['image/gif', '474946383961', 0],
  ['image/webp', '57454250', 8],
];

/**
 * Judges by the bytes, because names are unreliable. Returns `undefined` for anything but an intact PNG,
 * JPEG, WebP or GIF.
 */
function imageFacts(bytes: Buffer): ImageFacts | undefined {
  const found = BEGINNINGS.find(([, hex, at]) => bytes.toString('hex', at, at + hex.length / 2) === hex);
  if (found === undefined) return undefined;
  try {
    const { width, height } = imageSize(bytes);
    return width < 1 || height < 1 ? undefined : { mime_type: found[0], width, height };
  } catch {
    return undefined;
  }
}
