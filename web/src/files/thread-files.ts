// The files of a thread as queries: the list of them, and the content of one.
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import type { Api } from '../api/api.ts';
import type { ThreadFile } from '../api/file-shapes.ts';

/** The most that is shown or edited. Larger files have to be downloaded. */
const MOST_SHOWN_BYTES = 1_048_576;
/** The interval for polling conversions, because the service does not announce their end. */
const CONVERTING_MS = 1_500;

export function threadFilesQuery(api: Api, threadId: string) {
  return queryOptions({
    queryKey: ['files', threadId, 'list'],
    queryFn: () => api.threadFiles(threadId),
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.files.some(isConverting) ? CONVERTING_MS : false),
  });
}

/** The uploaded files, polled until the conversions of all `awaited` paths have ended. */
export function uploadsQuery(api: Api, threadId: string, awaited: readonly string[]) {
  return queryOptions({
    queryKey: ['files', threadId, 'uploads'],
    queryFn: () => api.uploads(threadId),
    staleTime: 0,
    refetchInterval: ({ state }) => {
      const ended = new Set(state.data?.filter((file) => !isConverting(file)).map(({ path }) => path));
      return awaited.every((path) => ended.has(path)) ? false : CONVERTING_MS;
    },
  });
}

export function fileContentQuery(api: Api, threadId: string, path: string) {
  return queryOptions({
    queryKey: ['files', threadId, 'content', path],
    queryFn: () => api.readFile(threadId, path, MOST_SHOWN_BYTES),
    staleTime: 0,
  });
}

function isConverting(file: ThreadFile): boolean {
  return file.isConverting;
}

/** Called after a file was written, uploaded or removed. */
export function refreshFiles(queryClient: QueryClient, threadId: string): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: ['files', threadId] });
}
