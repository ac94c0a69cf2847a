// What an image is, by its bytes: a name says nothing. Pure.
import { imageSize } from 'image-size';
import type { ViewedImage } from './viewed-image.ts';

type ImageFacts = Pick<ViewedImage, 'mime_type' | 'width' | 'height'>;

/** How the files of a format begin; of WebP, after its first eight bytes. */
const BEGINNINGS: readonly (readonly [ImageFacts['mime_type'], string, number])[] = [
  ['image/png', '89504e470d0a1a0a', 0],
  ['image/jpeg', 'ffd8ff', 0],
  ['image/gif', '474946383761', 0],
  ['image/gif', '474946383961', 0],
  ['image/webp', '57454250', 8],
];

/** `undefined` for what is no PNG, JPEG, WebP or GIF image, or a broken one. */
export function imageFacts(bytes: Buffer): ImageFacts | undefined {
  const found = BEGINNINGS.find(([, hex, at]) => bytes.toString('hex', at, at + hex.length / 2) === hex);
  if (found === undefined) return undefined;
  try {
    const { width, height } = imageSize(bytes);
    return width < 1 || height < 1 ? undefined : { mime_type: found[0], width, height };
  } catch {
    return undefined;
  }
}
