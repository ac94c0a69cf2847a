// The notes as the pages read and change them.
import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { answer, client, type Note } from '../api/client.ts';

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

/** Saves the note with this id, or a new one when there is no id yet. */
export function useSaveNote(id: string | undefined) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: Pick<Note, 'title' | 'text'>) =>
      answer(id ? client.PATCH('/notes/{id}', { ...at(id), body }) : client.POST('/notes', { body })),
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
