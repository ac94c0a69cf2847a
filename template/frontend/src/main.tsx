// The start of the pages: makes the parts and shows them.
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { RequestError } from './api/client.ts';
import { meQuery } from './auth/session.ts';
import { createAppRouter } from './router.tsx';
import './styles.css';

/** A session that ended on the way leads to the sign-in. */
function onError(error: Error): void {
  if (!(error instanceof RequestError) || error.status !== 401 || !queryClient.getQueryData(meQuery.queryKey)) return;
  queryClient.setQueryData(meQuery.queryKey, null);
  void router.invalidate();
}

const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: { queries: { retry: false } },
});
const router = createAppRouter(queryClient);

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no place for the app.');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
