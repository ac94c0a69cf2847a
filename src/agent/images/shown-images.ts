// Which images of a thread a prompt has. Pure.
import type { Message, ToolMessage } from '../../messages/message.ts';
import { type ViewedImage, viewedImageSchema } from '../../workspace/images/viewed-image.ts';

/** Together, images of two pages are what every provider takes: 20 of them, 27 MiB as base64. */
const PAGE = { images: 10, bytes: 10_485_760 };

const known = new WeakMap<ToolMessage, ViewedImage | null>();

/** The image that a tool answered with. */
export function imageOf(message: Message): ViewedImage | undefined {
  if (message.type !== 'tool' || message.artifact === null) return undefined;
  const found = known.get(message) ?? parsedImage(message);
  known.set(message, found);
  return found ?? undefined;
}

function parsedImage({ artifact }: ToolMessage): ViewedImage | null {
  if (typeof artifact !== 'object' || artifact === null || !('image' in artifact)) return null;
  return viewedImageSchema.safeParse(artifact.image).data ?? null;
}

/**
 * How many of the images, oldest first, are not shown any more. They leave in pages: a prompt whose older messages
 * change with every new image would be read anew by the provider each time.
 */
export function leftOut(sizes: readonly number[]): number {
  let page = { start: 0, bytes: 0 };
  let before = 0;
  sizes.forEach((size, index) => {
    if (index - page.start === PAGE.images || page.bytes + size > PAGE.bytes) {
      before = page.start;
      page = { start: index, bytes: 0 };
    }
    page.bytes += size;
  });
  return before;
}
