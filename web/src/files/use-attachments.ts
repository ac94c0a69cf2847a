// The files that go with the next message: handed in at once, kept over a reload of the page until they are sent.
import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import * as z from 'zod/mini';
import type { Api } from '../api/api.ts';
import { type Uploaded, uploadedSchema } from '../api/file-shapes.ts';
import { useServices } from '../services.tsx';
import { type Attachment, createUploadQueue, FileTooLarge, type UploadQueue } from './upload-queue.ts';
import { type Conversion, useConversions } from './use-conversions.ts';

interface AttachmentOptions {
  readonly threadId: string | undefined;
  /** There was no thread; this one was made for the files. */
  readonly onBorn: (threadId: string) => void;
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
        latest.current.onBorn(id);
        return id;
      } catch (error) {
        making.current = undefined;
        throw error;
      }
    };
    return createUploadQueue({
      send: async (file, progress) => {
        // Where the limit is not to be had, the service says what it thinks of the file.
        const most = await queryClient.ensureQueryData(mostBytesQuery(api)).catch(() => undefined);
        if (most !== undefined && file.size > most) throw new FileTooLarge(most);
        const id = await thread();
        progress.signal.throwIfAborted();
        return api.uploadFile(id, file, progress);
      },
      takeBack: ({ filename }) => {
        const id = latest.current.threadId;
        // What cannot be removed stays among the files of the thread, where it can be removed by hand.
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
