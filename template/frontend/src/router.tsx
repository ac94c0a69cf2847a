// The pages and their addresses. What a page needs is loaded before it is shown, its script, too.
import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { meQuery } from './auth/session.ts';
import { noteQuery, notesQuery } from './notes/note-queries.ts';
import { ErrorPage, NotFoundPage, PendingPage } from './state-pages.tsx';

const entryPage = () => import('./auth/entry-page.tsx');
const notesPage = () => import('./notes/notes-page.tsx');

const root = createRootRouteWithContext<{ queryClient: QueryClient }>()();

/** Pages for visitors who are not signed in. */
const entry = createRoute({
  getParentRoute: () => root,
  id: 'entry',
  beforeLoad: async ({ context: { queryClient } }) => {
    if ((await queryClient.ensureQueryData(meQuery)) !== null) throw redirect({ to: '/' });
  },
});
const signIn = createRoute({
  getParentRoute: () => entry,
  path: '/sign-in',
  component: lazyRouteComponent(entryPage, 'SignInPage'),
});
const register = createRoute({
  getParentRoute: () => entry,
  path: '/register',
  component: lazyRouteComponent(entryPage, 'RegisterPage'),
});

/** Pages for signed-in users. */
const own = createRoute({
  getParentRoute: () => root,
  id: 'own',
  beforeLoad: async ({ context: { queryClient } }) => {
    if ((await queryClient.ensureQueryData(meQuery)) === null) throw redirect({ to: '/sign-in' });
  },
});
const account = createRoute({
  getParentRoute: () => own,
  path: '/account',
  component: lazyRouteComponent(() => import('./auth/account-page.tsx'), 'AccountPage'),
});
const notes = createRoute({
  getParentRoute: () => own,
  id: 'notes',
  component: lazyRouteComponent(notesPage, 'NotesPage'),
  loader: ({ context: { queryClient } }) => queryClient.ensureInfiniteQueryData(notesQuery),
});
const noNote = createRoute({
  getParentRoute: () => notes,
  path: '/',
  component: lazyRouteComponent(notesPage, 'NoNotePage'),
});
const newNote = createRoute({
  getParentRoute: () => notes,
  path: '/notes/new',
  component: lazyRouteComponent(() => import('./notes/note-editor.tsx'), 'NoteEditor'),
});
const note = createRoute({
  getParentRoute: () => notes,
  path: '/notes/$noteId',
  loader: ({ context: { queryClient }, params }) => queryClient.ensureQueryData(noteQuery(params.noteId)),
  component: lazyRouteComponent(() => import('./notes/note-page.tsx'), 'NotePage'),
});

export function createAppRouter(queryClient: QueryClient) {
  const pages = [
    entry.addChildren([signIn, register]),
    own.addChildren([account, notes.addChildren([noNote, newNote, note])]),
  ];
  return createRouter({
    routeTree: root.addChildren(pages),
    context: { queryClient },
    defaultPendingComponent: PendingPage,
    defaultErrorComponent: ErrorPage,
    defaultNotFoundComponent: NotFoundPage,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
