// The versions of files that an agent read or wrote: in the results of its tools, so that they go with its thread.
import { z } from 'zod';
import type { Json, Message } from '../messages/message.ts';
import type { KnownVersions } from '../workspace/known-versions.ts';

const artifactSchema = z.object({ file: z.object({ path: z.string(), version: z.string() }) });

/** What the messages say, plus what the current step has produced whose results are not messages yet. */
export function createKnownFiles(
  messages: readonly Message[],
  begun: readonly { readonly message: Message }[],
): KnownVersions {
  const learned = new Map<string, string>();
  for (const { message } of begun) {
    const file = fileIn(message);
    if (file !== undefined) learned.set(file.path, file.version);
  }
  return {
    get: (path) => learned.get(path) ?? lastIn(messages, path),
    set: (path, version) => void learned.set(path, version),
  };
}

function lastIn(messages: readonly Message[], path: string): string | undefined {
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index];
    const file = message && fileIn(message);
    if (file?.path === path) return file.version;
  }
  return undefined;
}

function fileIn(message: Message) {
  if (message.type !== 'tool' || !isObject(message.artifact)) return undefined;
  return artifactSchema.safeParse(message.artifact).data?.file;
}

function isObject(value: Json): value is Extract<Json, object> {
  return typeof value === 'object' && value !== null;
}
