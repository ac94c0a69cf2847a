// The pages and their addresses. What a page needs is loaded before it is shown.
import { type QueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, createRouter, redirect } from '@tanstack/react-router';
import { RegisterPage, SignInPage } from './auth/entry-page.tsx';
import { meQuery } from './auth/session.ts';
import { NoteEditor } from './notes/note-editor.tsx';
import { noteQuery, notesQuery } from './notes/note-queries.ts';
import { NoNotePage, NotesPage } from './notes/notes-page.tsx';
import { ErrorPage, NotFoundPage, PendingPage } from './state-pages.tsx';

const root = createRootRouteWithContext<{ queryClient: QueryClient }>()();

/** Pages for whoever is not signed in. */
const entry = createRoute({
  getParentRoute: () => root,
  id: 'entry',
  beforeLoad: async ({ context: { queryClient } }) => {
    if ((await queryClient.ensureQueryData(meQuery)) !== null) throw redirect({ to: '/' });
  },
});
const signIn = createRoute({ getParentRoute: () => entry, path: '/sign-in', component: SignInPage });
const register = createRoute({ getParentRoute: () => entry, path: '/register', component: RegisterPage });

/** Pages for whoever is. */
const notes = createRoute({
  getParentRoute: () => root,
  id: 'notes',
  component: NotesPage,
  beforeLoad: async ({ context: { queryClient } }) => {
    if ((await queryClient.ensureQueryData(meQuery)) === null) throw redirect({ to: '/sign-in' });
  },
  loader: ({ context: { queryClient } }) => queryClient.ensureInfiniteQueryData(notesQuery),
});
const noNote = createRoute({ getParentRoute: () => notes, path: '/', component: NoNotePage });
const newNote = createRoute({ getParentRoute: () => notes, path: '/notes/new', component: () => <NoteEditor /> });
const note = createRoute({
  getParentRoute: () => notes,
  path: '/notes/$noteId',
  loader: ({ context: { queryClient }, params }) => queryClient.ensureQueryData(noteQuery(params.noteId)),
  component: function NotePage() {
    const { noteId } = note.useParams();
    // The key: another note is another editor, with nothing of the one before.
    return <NoteEditor key={noteId} note={useSuspenseQuery(noteQuery(noteId)).data} />;
  },
});

export function createAppRouter(queryClient: QueryClient) {
  const pages = [entry.addChildren([signIn, register]), notes.addChildren([noNote, newNote, note])];
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
