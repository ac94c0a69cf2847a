// The files that a client names with a message. Pure.
import { z } from 'zod';
import type { HumanMessage } from '../../messages/message.ts';

const attachments = z.array(z.looseObject({ filename: z.string() }));

/** In their order; none where the list is not one of files. */
export function attachedNames({ additional_kwargs }: HumanMessage): readonly string[] {
  const parsed = attachments.safeParse(additional_kwargs.files);
  return parsed.success ? parsed.data.map(({ filename }) => filename) : [];
}
