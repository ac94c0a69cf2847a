// The start of the web app: makes the parts and shows them.
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import { createApi } from './api/api.ts';
import { createConnection } from './api/connection.ts';
import { RequestError } from './api/service-error.ts';
import { createServiceFetch } from './api/service-fetch.ts';
import { createServiceUpload } from './api/service-upload.ts';
import { meQuery } from './auth/session.ts';
import { newMessageId } from './chat/submission.ts';
import { createOutbox } from './outbox/outbox.ts';
import { createAppRouter } from './router.tsx';
import { ServicesProvider } from './services.tsx';
import './styles.css';
import { followTheme } from './theme/theme.ts';

const RETRIES = 2;
/** A part that is missing right after a reload will not come with another one. */
const RELOAD_AGAIN_MS = 20_000;

const queryClient = new QueryClient({
  defaultOptions: {
    // A browser that believes to be offline may still reach a service on the same machine.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      staleTime: 30_000,
      // Asking again only helps when nothing answered or the service stumbled.
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

// A page from before an update asks for parts that are gone; the new page knows the new ones.
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
