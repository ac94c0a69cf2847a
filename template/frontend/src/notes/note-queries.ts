// The notes as the pages read and change them.
import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { answer, client, type Note, RequestError } from '../api/client.ts';

export const notesQuery = infiniteQueryOptions({
  queryKey: ['notes'],
  initialPageParam: '',
  queryFn: ({ pageParam }) =>
    answer(client.GET('/notes', { params: { query: pageParam === '' ? {} : { after: pageParam } } })),
  getNextPageParam: (page) => page.next,
});

const at = (id: string) => ({ params: { path: { id } } });

export const noteQuery = (id: string) =>
  queryOptions({ queryKey: ['note', id], queryFn: () => answer(client.GET('/notes/{id}', at(id))) });

/** Saves a draft of the note `base`, or a new one. When the note has changed since, it is read again. */
export function useSaveNote(base: Note | undefined) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (draft: Pick<Note, 'title' | 'text'>) => {
      if (base === undefined) return answer(client.POST('/notes', { body: draft }));
      const { id, version } = base;
      return answer(client.PATCH('/notes/{id}', { ...at(id), body: { ...draft, version } }));
    },
    onError: async (error) => {
      if (base === undefined || !(error instanceof RequestError) || error.status !== 409) return;
      await queryClient.invalidateQueries(noteQuery(base.id));
    },
    onSuccess: (note) => {
      queryClient.setQueryData(noteQuery(note.id).queryKey, note);
      return queryClient.invalidateQueries(notesQuery);
    },
  });
}

/** Deletes the note, and leaves its page. */
export function useDeleteNote(id = '') {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: () => answer(client.DELETE('/notes/{id}', at(id))),
    onSuccess: async () => {
      await navigate({ to: '/', ignoreBlocker: true });
      await queryClient.invalidateQueries(notesQuery);
    },
  });
}
