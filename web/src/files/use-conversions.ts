// What becomes of documents after they have arrived: the service makes Markdown of them.
import { useQuery } from '@tanstack/react-query';
import { useServices } from '../services.tsx';
import { uploadsQuery } from './thread-files.ts';
import type { Attachment } from './upload-queue.ts';

export interface Conversion {
  readonly isConverting: boolean;
  /** Why there is no Markdown: a sentence. */
  readonly error: string | undefined;
}

/** By the keys of the attachments; of those that have arrived alone. */
export function useConversions(
  threadId: string | undefined,
  list: readonly Attachment[],
): ReadonlyMap<string, Conversion> {
  const { api } = useServices();
  const arrived = list.flatMap(({ key, state }) =>
    state.kind === 'done' ? [{ key, uploaded: state.uploaded }] : [],
  );
  const awaited = arrived.flatMap(({ uploaded }) =>
    uploaded.conversion_status === 'converting' ? [uploaded.virtual_path] : [],
  );
  const { data } = useQuery({
    ...uploadsQuery(api, threadId ?? '', awaited),
    enabled: threadId !== undefined && awaited.length > 0,
  });
  const now = new Map(data?.map((file) => [file.path, file]));
  return new Map(
    arrived.map(({ key, uploaded }) => {
      const file = awaited.includes(uploaded.virtual_path) ? now.get(uploaded.virtual_path) : undefined;
      const isConverting = file?.isConverting ?? uploaded.conversion_status === 'converting';
      const error = file === undefined ? (uploaded.conversion_error ?? undefined) : file.conversionError;
      return [key, { isConverting, error }];
    }),
  );
}
