// Shows the model the images that its tools viewed: the state has references, the prompt has the bytes.
import { LRUCache } from 'lru-cache';
import { type Message, type ToolMessage, textOf } from '../../messages/message.ts';
import { oncePerObject } from '../../messages/once-per-object.ts';
import type { ImageStore } from '../../workspace/images/image-store.ts';
import { type ViewedImage, viewedImageSchema } from '../../workspace/images/viewed-image.ts';
import type { WorkspacePlace } from '../../workspace/paths.ts';
import type { Middleware } from '../middleware.ts';

/** The most image data that all threads together keep in memory, as characters of base64. */
const KEPT_CHARACTERS = 67_108_864;

/** Messages with their images, cached while capacity allows: what was sent is known by the object. */
export type ImageMessages = LRUCache<ToolMessage, ToolMessage>;

export function createImageMessages(): ImageMessages {
  return new LRUCache({
    maxSize: KEPT_CHARACTERS,
    sizeCalculation: ({ content }) => JSON.stringify(content).length,
  });
}

interface ViewedImagesParts {
  readonly images: ImageStore;
  readonly messages: ImageMessages;
}

/** For models that see images. Runs after the call is recorded, because a record has no images. */
export function createViewedImagesMiddleware(parts: ViewedImagesParts): Middleware {
  return {
    name: 'viewed_images',
    async shapeSent(request, context) {
      const { messages } = request;
      const viewed = messages.flatMap((message) => imageOf(message) ?? []);
      if (viewed.length === 0) return request;
      const hidden = leftOut(viewed.map(({ size }) => size));
      return { ...request, messages: await withImages(parts, context, { messages, hidden }) };
    },
  };
}

async function withImages(
  { images, messages: kept }: ViewedImagesParts,
  place: WorkspacePlace,
  { messages, hidden }: { readonly messages: readonly Message[]; readonly hidden: number },
): Promise<readonly Message[]> {
  let count = 0;
  const shown: Message[] = [];
  for (const message of messages) {
    const image = imageOf(message);
    if (image === undefined || message.type !== 'tool') shown.push(message);
    else if (count++ < hidden) shown.push(withNote(message, LEFT_OUT, kept));
    else shown.push(kept.get(message) ?? (await withImage(images, place, { message, image, kept })));
  }
  return shown;
}

function withNote(message: ToolMessage, note: string, kept: ImageMessages): ToolMessage {
  const content = `${textOf(message.content)}\n${note}`;
  const before = kept.get(message);
  if (before?.content === content) return before;
  const made: ToolMessage = { ...message, content };
  kept.set(message, made);
  return made;
}

interface ImageMessage {
  readonly message: ToolMessage;
  readonly image: ViewedImage;
  readonly kept: ImageMessages;
}

async function withImage(
  images: ImageStore,
  place: WorkspacePlace,
  { message, image, kept }: ImageMessage,
): Promise<ToolMessage> {
  const bytes = await images.bytesOf(place, image).catch(() => undefined);
  if (bytes === undefined) return withNote(message, CHANGED, kept);
  const text = textOf(message.content);
  const url = `data:${image.mime_type};base64,${bytes.toString('base64')}`;
  const made: ToolMessage = {
    ...message,
    content: [
      { type: 'text', text },
      { type: 'image_url', image_url: { url } },
    ],
  };
  kept.set(message, made);
  return made;
}

const LEFT_OUT = '(It is not shown any more, for newer images; view it again to see it.)';
const CHANGED =
  '(The image changed or was removed since, and how it was then is not kept. View it again to see it as it is now.)';

/** Every provider takes two pages of images together: 20 images, 27 MiB as base64. */
const PAGE = { images: 10, bytes: 10_485_760 };

function imageOf(message: Message): ViewedImage | undefined {
  if (message.type !== 'tool' || message.artifact === null) return undefined;
  return parsedImage(message) ?? undefined;
}

const parsedImage = oncePerObject(({ artifact }: ToolMessage) => {
  if (typeof artifact !== 'object' || artifact === null || !('image' in artifact)) return null;
  return viewedImageSchema.safeParse(artifact.image).data ?? null;
});

/** Returns how many images, oldest first, to hide. They leave in pages, so that prompts stay cached. */
function leftOut(sizes: readonly number[]): number {
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
