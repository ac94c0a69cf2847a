// The note of the address, in its editor.
import { useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { NoteEditor } from './note-editor.tsx';
import { noteQuery } from './note-queries.ts';

export function NotePage() {
  const { noteId } = useParams({ from: '/own/notes/notes/$noteId' });
  // The key: another note is another editor, with nothing of the one before.
  return <NoteEditor key={noteId} note={useSuspenseQuery(noteQuery(noteId)).data} />;
}
