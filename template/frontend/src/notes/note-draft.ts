// The text in the editor, and the saved note that it started from. Other windows may save the note meanwhile.
import { useState } from 'react';
import type { Note } from '../api/client.ts';

const draftOf = (note?: Note) => ({ title: note?.title ?? '', text: note?.text ?? '' });

/** `note` is the note as it is saved now. A draft without changes follows it; one with changes stays as it is. */
export function useNoteDraft(note: Note | undefined) {
  const [base, setBase] = useState(note);
  const [draft, setDraft] = useState(draftOf(note));
  const begun = draftOf(base);
  const isChanged = draft.title !== begun.title || draft.text !== begun.text;
  const beginFrom = (it: Note) => {
    setBase(it);
    setDraft(draftOf(it));
  };
  const newer = note !== undefined && note.version > (base?.version ?? 0) ? note : undefined;
  if (newer !== undefined && !isChanged) beginFrom(newer);
  return { base, draft, setDraft, isChanged, newer, beginFrom, keepOver: setBase };
}
