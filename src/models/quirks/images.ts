// Images, which not every model sees and not every provider accepts everywhere.
import type { LanguageModelV4FilePart, LanguageModelV4TextPart } from '@ai-sdk/provider';
import { z } from 'zod';
import { type ContentBlock, type MessageContent, textOf } from '../../messages/message.ts';

export type VisiblePart = LanguageModelV4TextPart | LanguageModelV4FilePart;

/** A part of a message. An image is an address until its form is decided. */
export type Part = VisiblePart | { readonly type: 'image'; readonly url: string };

export interface Sight {
  readonly supportsVision: boolean;
}

export function partsOf(content: MessageContent): readonly Part[] {
  const blocks: readonly ContentBlock[] =
    typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  return blocks.flatMap((block): Part[] => {
    if (block.type === 'text' && typeof block.text === 'string') {
      return block.text === '' ? [] : [words(block.text)];
    }
    const url = imageUrl(block);
    return url === undefined
      ? [words(`(content of type ${block.type} is not shown)`)]
      : [{ type: 'image', url }];
  });
}

export function isVisible(part: Part): part is VisiblePart {
  return part.type !== 'image';
}

/** Replaces images by a note for a model that does not see. */
export function unseenImages(parts: readonly Part[], { supportsVision }: Sight): readonly Part[] {
  if (supportsVision) return parts;
  const unseen = words('(an image is attached, which this model cannot see)');
  return parts.map((part) => (part.type === 'image' ? unseen : part));
}

export function imageFiles(parts: readonly Part[]): readonly Part[] {
  return parts.map((part) =>
    part.type === 'image'
      ? (fileOf(part.url) ?? words('(an image is attached, and its address cannot be read)'))
      : part,
  );
}

function fileOf(url: string): LanguageModelV4FilePart | undefined {
  const inline = /^data:(image\/[a-z0-9.+-]+);base64,/i.exec(url);
  const mediaType = inline?.[1];
  if (inline !== null && mediaType !== undefined) {
    return { type: 'file', mediaType, data: { type: 'data', data: url.slice(inline[0].length) } };
  }
  if (!URL.canParse(url) || !/^https?:/i.test(url)) return undefined;
  return { type: 'file', mediaType: 'image/*', data: { type: 'url', url: new URL(url) } };
}

function words(text: string): LanguageModelV4TextPart {
  return { type: 'text', text };
}

/** The result of a tool: what it shows, and what the person's side shows after all results of a message. */
export interface ShownResult {
  readonly shown: readonly VisiblePart[];
  readonly beside: readonly VisiblePart[];
}

/** Moves images after the results, with their text, for providers that accept none in results. */
export function imagesBeside(result: ShownResult, content: MessageContent): ShownResult {
  const images = result.shown.filter(({ type }) => type === 'file');
  if (images.length === 0) return result;
  const text = words(textOf(content));
  return { shown: [text], beside: [text, ...images] };
}

const url = z.object({ url: z.string() });
const inline = z.union([
  z.object({ mime_type: z.string(), data: z.string() }),
  z
    .object({ mimeType: z.string(), data: z.string() })
    .transform(({ mimeType, data }) => ({ mime_type: mimeType, data })),
]);

/** Returns an address, `data:` or http(s); `undefined` for a block that is not an image. */
function imageUrl(block: ContentBlock): string | undefined {
  switch (block.type) {
    // In the chat-completion format the address is in an object; some clients send a bare string.
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
