// The attachments of the next message: uploaded immediately, and kept across reloads until they are sent.
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import * as z from 'zod/mini';
import type { Api } from '../api/api.ts';
import { type Uploaded, uploadedSchema } from '../api/file-shapes.ts';
import { uploadsQuery } from '../files/thread-files.ts';
import { useServices } from '../services/services.tsx';
import { type Attachment, createUploadQueue, FileTooLarge, type UploadQueue } from './upload-queue.ts';

interface AttachmentOptions {
  readonly threadId: string | undefined;
  /** Called with the thread that was created for the files. */
  readonly onThreadCreated: (threadId: string) => void;
}

export interface Attachments extends Pick<UploadQueue, 'add' | 'retry' | 'remove' | 'take' | 'giveBack'> {
  readonly list: readonly Attachment[];
  readonly conversions: ReadonlyMap<string, Conversion>;
}

export function useAttachments(options: AttachmentOptions): Attachments {
  const { api } = useServices();
  const queryClient = useQueryClient();
  const latest = useRef(options);
  latest.current = options;
  const { threadId } = options;
  const making = useRef<Promise<string>>(undefined);
  const [queue] = useState(() => {
    const thread = (): string | Promise<string> => {
      const known = latest.current.threadId;
      if (known !== undefined) return known;
      making.current ??= makeThread();
      return making.current;
    };
    const makeThread = async (): Promise<string> => {
      try {
        const { thread_id: id } = await api.createThread();
        latest.current.onThreadCreated(id);
        return id;
      } catch (error) {
        making.current = undefined;
        throw error;
      }
    };
    return createUploadQueue({
      send: async (file, progress) => {
        // If the limit cannot be read, the service decides.
        const most = await queryClient.ensureQueryData(mostBytesQuery(api)).catch(() => undefined);
        if (most !== undefined && file.size > most) throw new FileTooLarge(most);
        const id = await thread();
        progress.signal.throwIfAborted();
        return api.uploadFile(id, file, progress);
      },
      takeBack: ({ filename }) => {
        const id = latest.current.threadId;
        // A file that cannot be removed stays in the thread, where the person can delete it.
        if (id !== undefined) api.removeUpload(id, filename).catch(() => {});
      },
      kept: keptOf(threadId),
    });
  });
  const list = useSyncExternalStore(queue.subscribe, queue.list);
  const arrived = useMemo(
    () => list.flatMap(({ state }) => (state.kind === 'done' ? [state.uploaded] : [])),
    [list],
  );
  useEffect(() => keep(threadId, arrived), [threadId, arrived]);
  useEffect(() => queue.close, [queue]);
  const { add, retry, remove, take, giveBack } = queue;
  return { list, conversions: useConversions(threadId, list), add, retry, remove, take, giveBack };
}

function mostBytesQuery(api: Api) {
  return queryOptions({
    queryKey: ['most-upload-bytes'],
    queryFn: () => api.mostUploadBytes(),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
}

function keptOf(threadId: string | undefined): readonly Uploaded[] {
  if (threadId === undefined) return [];
  try {
    return z.array(uploadedSchema).parse(JSON.parse(sessionStorage.getItem(keyOf(threadId)) ?? '[]'));
  } catch {
    return [];
  }
}

function keep(threadId: string | undefined, arrived: readonly Uploaded[]): void {
  if (threadId === undefined) return;
  if (arrived.length === 0) sessionStorage.removeItem(keyOf(threadId));
  else sessionStorage.setItem(keyOf(threadId), JSON.stringify(arrived));
}

function keyOf(threadId: string): string {
  return `draft-files:${threadId}`;
}

interface Conversion {
  readonly isConverting: boolean;
  /** A sentence that explains why there is no Markdown. */
  readonly error: string | undefined;
}

/** Keyed by attachment. Only uploaded attachments have an entry. */
function useConversions(
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
