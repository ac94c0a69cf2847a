// The entry of the web app. Creates the parts and renders them.
import './styles.css';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import { createApi } from './api/api.ts';
import { createConnection } from './api/connection.ts';
import { newMessageId } from './api/sent-message.ts';
import { RequestError } from './api/service-error.ts';
import { createServiceFetch, createServiceUpload } from './api/service-fetch.ts';
import { meQuery } from './auth/session.ts';
import { createAppRouter } from './router.tsx';
import { createOutbox } from './services/outbox.ts';
import { ServicesProvider } from './services/services.tsx';
import { followTheme } from './theme/theme.ts';

const RETRIES = 2;
/** If a chunk is missing right after a reload, another reload will not help. */
const RELOAD_AGAIN_MS = 20_000;

const queryClient = new QueryClient({
  defaultOptions: {
    // A browser that believes it is offline may still reach a service on the same machine.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      staleTime: 30_000,
      // Retrying only helps when there was no response or the service failed.
      retry: (count, error) =>
        count < RETRIES && error instanceof RequestError && (error.status === 0 || error.status >= 500),
    },
  },
});
const connection = createConnection(async () => {
  const response = await fetch('/health', { cache: 'no-store' });
  if (!response.ok) throw new Error(`Health answered ${response.status}.`);
});
const watched = { connection, onSignedOut: showSignIn };
const serviceFetch = createServiceFetch(watched);
const api = createApi(serviceFetch, createServiceUpload(watched));
const outbox = createOutbox({ api, connection, newId: newMessageId });
const services = { api, connection, fetch: serviceFetch, outbox };
const router = createAppRouter({ api, queryClient });

function showSignIn(): void {
  queryClient.setQueryData(meQuery(api).queryKey, null);
  const { pathname, href } = router.state.location;
  if (['/login', '/register'].includes(pathname)) return;
  router.navigate({ to: '/login', search: { next: href } }).catch(reportError);
}

followTheme();

// After an update, an old page requests chunks that are gone. The new page knows the new ones.
addEventListener('vite:preloadError', () => {
  const last = Number(sessionStorage.getItem('reloaded') ?? 0);
  if (Date.now() - last < RELOAD_AGAIN_MS) return;
  sessionStorage.setItem('reloaded', String(Date.now()));
  location.reload();
});

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no element with the id root.');
createRoot(root).render(
  <ServicesProvider services={services}>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </ServicesProvider>,
);
