// The import of a package; it continues while the person is on another page.
import { type QueryClient, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Api } from '../api/api.ts';
import { RequestError } from '../api/service-error.ts';
import type { ImportedPackage } from '../api/shapes.ts';
import { useServices } from '../services/services.tsx';
import { refreshThreads } from '../threads/thread-queries.ts';

export type PackageImport =
  | { readonly kind: 'none' }
  /** `share` is 1 while the service processes the upload. */
  | { readonly kind: 'sending'; readonly name: string; readonly share: number; readonly stop: () => void }
  | { readonly kind: 'done'; readonly name: string; readonly imported: ImportedPackage }
  | { readonly kind: 'failed'; readonly name: string; readonly sentence: string };

/** The state is in the query cache, which signing out clears. */
const importQuery = queryOptions({
  queryKey: ['package-import'],
  queryFn: (): PackageImport => ({ kind: 'none' }),
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
});

export function usePackageImport() {
  const { api } = useServices();
  const queryClient = useQueryClient();
  const { data: current = { kind: 'none' } } = useQuery(importQuery);
  return {
    current,
    start: (file: File) => bringIn(file, api, queryClient),
  };
}

async function bringIn(file: File, api: Api, queryClient: QueryClient): Promise<void> {
  const { name } = file;
  const { queryKey } = importQuery;
  const ending = new AbortController();
  const show = (next: PackageImport): void => {
    // The state is gone after a sign-out: the next person must not see it.
    queryClient.setQueryData(queryKey, (known) => (known === undefined ? undefined : next));
  };
  let share = 0;
  const onSent = (sent: number): void => {
    share = sent;
    show({ kind: 'sending', name, share, stop: () => ending.abort() });
  };
  onSent(0);
  try {
    const imported = await api.importPackage(file, { onSent, signal: ending.signal });
    show({ kind: 'done', name, imported });
    await refreshThreads(queryClient);
  } catch (error) {
    show(ending.signal.aborted ? { kind: 'none' } : { kind: 'failed', name, sentence: whyOf(error, share) });
  }
}

/** Returns the error, and whether anything was imported. */
function whyOf(error: unknown, share: number): string {
  if (!(error instanceof RequestError)) return 'Nothing was imported: this file could not be read.';
  const { status, message, isExplained } = error;
  if (status === 0 && share === 1)
    return 'The connection was lost while the service processed the package. Check for its chats before you try again.';
  if (status === 0)
    return 'Nothing was imported: the connection was lost before the whole package was sent. Try again, or choose a smaller package: the service may refuse one that is too large or too slow.';
  if (status === 408)
    return 'Nothing was imported: the package did not arrive in the time that the service allows. An administrator can allow more (server.request_timeout_seconds).';
  if (status === 413 && !isExplained)
    return 'Nothing was imported: the package is larger than a proxy server allows.';
  return `Nothing was imported: ${message}`;
}
