// An import of a package on its way; it goes on while its reader looks at something else.
import { type QueryClient, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Api } from '../api/api.ts';
import { RequestError } from '../api/service-error.ts';
import type { ImportedPackage } from '../api/shapes.ts';
import { useServices } from '../services.tsx';
import { refreshThreads } from '../threads/thread-queries.ts';

export type PackageImport =
  | { readonly kind: 'none' }
  /** `share` is 1 while the service reads what it has. */
  | { readonly kind: 'sending'; readonly name: string; readonly share: number; readonly stop: () => void }
  | { readonly kind: 'done'; readonly name: string; readonly imported: ImportedPackage }
  | { readonly kind: 'failed'; readonly name: string; readonly sentence: string };

/** Kept where signing out clears everything of the account. */
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
    // Gone when somebody signed out: whoever signs in next is told nothing of it.
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

/** What went wrong, and whether anything was imported. */
function whyOf(error: unknown, share: number): string {
  if (!(error instanceof RequestError)) return 'Nothing was imported: this file could not be read.';
  const { status, message, isExplained } = error;
  if (status === 0 && share === 1)
    return 'The connection broke off while the service read the package. Check for its chats before you try again.';
  if (status === 0)
    return 'Nothing was imported: the connection broke off before the whole package was sent. Try again, or choose a smaller one: a service may refuse a package that is too large or too slow.';
  if (status === 408)
    return 'Nothing was imported: the package did not arrive in the time that the service allows. An administrator can allow more (server.request_timeout_seconds).';
  if (status === 413 && !isExplained)
    return 'Nothing was imported: the package is larger than a server on the way allows.';
  return `Nothing was imported: ${message}`;
}
