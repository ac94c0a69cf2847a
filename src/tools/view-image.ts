// Images as results of tools: the state gets a reference, the model the image (view_image, read_file).
import { z } from 'zod';
import type { ImageStore } from '../workspace/images/image-store.ts';
import type { ViewedImage } from '../workspace/images/viewed-image.ts';
import { defineTool, failure, type Tool, type ToolContext, type ToolOutcome } from './tool.ts';

export const VIEW_IMAGE = 'view_image';

export function createViewImageTool(images: ImageStore): Tool {
  return defineTool({
    name: VIEW_IMAGE,
    description: 'Shows you an image of the thread: PNG, JPEG, WebP or GIF, up to 3.75 MiB.',
    input: z.object({
      image_path: z.string().describe('Absolute path of the image, like /mnt/user-data/uploads/photo.jpg'),
    }),
    effect: 'read',
    run: async ({ image_path }, context) => {
      const outcome = await imageOutcome(images, image_path, context);
      return outcome ?? failure(`Error: ${image_path} is not a PNG, JPEG, WebP or GIF image.`);
    },
  });
}

/** Returns `undefined` for a file that is not an image. Throws a `ServiceError`. */
export async function imageOutcome(
  images: ImageStore,
  path: string,
  context: ToolContext,
): Promise<ToolOutcome | undefined> {
  const image = await images.view(context, path);
  if (image === undefined) return undefined;
  if (!context.seesImages)
    return failure(
      `Error: ${image.path} is an image, but the model of this conversation cannot see images. Tell the person, or work on it with other tools.`,
    );
  const { path: viewed, ...facts } = image;
  return {
    kind: 'result',
    content: `Successfully read image ${viewed} (${formatOf(image)}, ${image.width} x ${image.height} pixels)`,
    artifact: { image: { ...image } },
    values: { viewed_images: { [viewed]: facts } },
  };
}

function formatOf({ mime_type }: ViewedImage): string {
  return mime_type.slice('image/'.length).toUpperCase();
}
