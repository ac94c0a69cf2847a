// Title and text of a note, saved when asked to.
import { Link, useBlocker, useNavigate } from '@tanstack/react-router';
import { ArrowLeft, Trash2 } from 'lucide-react';
import type { FormEvent } from 'react';
import { fieldError, formError, type Note } from '../api/client.ts';
import { Button, buttonClass } from '../ui/button.tsx';
import { cn } from '../ui/cn.ts';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { Notice } from '../ui/notice.tsx';
import { ConflictNotice } from './conflict-notice.tsx';
import { useNoteDraft } from './note-draft.ts';
import { useDeleteNote, useSaveNote } from './note-queries.ts';

const FIELD = 'w-full bg-transparent placeholder:text-muted-foreground focus-visible:outline-none';

/** Without a note it writes a new one. */
export function NoteEditor({ note }: { note?: Note }) {
  const { base, draft, setDraft, isChanged, newer, beginFrom, keepOver } = useNoteDraft(note);
  const save = useSaveNote(base);
  const remove = useDeleteNote(note?.id);
  const navigate = useNavigate();
  // While it saves, the newer note is the one that is being saved.
  const other = save.isPending ? undefined : newer;
  const shouldBlockFn = () => isChanged && !confirm('Leave without saving?');
  useBlocker({ shouldBlockFn, enableBeforeUnload: isChanged });

  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(draft, {
      onSuccess: (it) => {
        beginFrom(it);
        void navigate({ to: '/notes/$noteId', params: { noteId: it.id }, ignoreBlocker: true });
      },
    });
  };
  const choose = (begin: (it: Note) => void, it: Note) => {
    begin(it);
    save.reset();
  };
  const titleError = fieldError(save.error, 'title');
  const problem = titleError ?? formError(other ? null : save.error, 'title') ?? formError(remove.error);
  return (
    <form onSubmit={submit} className="mx-auto flex min-h-full max-w-2xl flex-col gap-4 p-4 md:p-8">
      <h2 className="sr-only">{note?.title ?? 'New note'}</h2>
      <div className="flex items-center gap-2">
        <Link to="/" aria-label="All notes" className={cn(buttonClass('quiet', 'icon'), 'md:hidden')}>
          <ArrowLeft />
        </Link>
        <p role="status" className="flex-1 text-[0.8125rem] text-muted-foreground">
          {isChanged ? 'Not saved yet' : save.isSuccess && 'Saved'}
        </p>
        {note !== undefined && (
          <ConfirmDialog
            title="Delete this note?"
            description={`“${note.title}” cannot be brought back.`}
            action="Delete"
            onConfirm={() => remove.mutate()}
            trigger={
              <Button look="quiet" size="icon" aria-label="Delete this note" isPending={remove.isPending}>
                <Trash2 />
              </Button>
            }
          />
        )}
        <Button type="submit" size="small" isPending={save.isPending} disabled={!isChanged || other !== undefined}>
          Save
        </Button>
      </div>
      {other !== undefined && (
        <ConflictNotice
          other={other}
          onKeepMine={() => choose(keepOver, other)}
          onTakeOther={() => choose(beginFrom, other)}
        />
      )}
      {problem !== undefined && <Notice>{problem}</Notice>}
      <input
        aria-label="Title"
        placeholder="Title"
        required
        maxLength={200}
        aria-invalid={titleError !== undefined}
        readOnly={save.isPending}
        value={draft.title}
        onChange={(event) => setDraft({ ...draft, title: event.target.value })}
        className={cn(FIELD, 'text-2xl font-semibold tracking-tight')}
      />
      <textarea
        aria-label="Text"
        placeholder="Write something"
        maxLength={100_000}
        readOnly={save.isPending}
        value={draft.text}
        onChange={(event) => setDraft({ ...draft, text: event.target.value })}
        className={cn(FIELD, 'flex-1 resize-none leading-relaxed')}
      />
    </form>
  );
}
