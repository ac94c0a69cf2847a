// The image of a content block, in the forms in which clients send one.
import { z } from 'zod';
import type { ContentBlock } from '../../messages/message.ts';

const url = z.object({ url: z.string() });
const inline = z.union([
  z.object({ mime_type: z.string(), data: z.string() }),
  z
    .object({ mimeType: z.string(), data: z.string() })
    .transform(({ mimeType, data }) => ({ mime_type: mimeType, data })),
]);

/** An address, `data:` or http(s); `undefined` for a block that is no image. */
export function imageUrl(block: ContentBlock): string | undefined {
  switch (block.type) {
    // In the chat-completion format the address is in an object, in some clients a bare string.
    case 'image_url': {
      const image: unknown = block.image_url;
      return typeof image === 'string' ? image : url.safeParse(image).data?.url;
    }
    // The standard blocks of the SDK's messages.
    case 'image': {
      const image = inline.safeParse(block).data;
      return image === undefined
        ? url.safeParse(block).data?.url
        : `data:${image.mime_type};base64,${image.data}`;
    }
    default:
      return undefined;
  }
}
