// The notes, the one that changed last first, a page at a time.
import { useSuspenseInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { Button, buttonClass } from '../ui/button.tsx';
import { notesQuery } from './note-queries.ts';

const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

export function NoteList() {
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage } = useSuspenseInfiniteQuery(notesQuery);
  const notes = data.pages.flatMap((page) => page.notes);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3 p-3">
      <Link to="/notes/new" className={buttonClass()}>
        <Plus aria-hidden />
        New note
      </Link>
      {notes.length === 0 && (
        <p className="px-6 py-12 text-center text-sm text-muted-foreground">
          Nothing here yet. Your first note is one click away.
        </p>
      )}
      <ul className="grid grid-cols-[minmax(0,1fr)] gap-1">
        {notes.map(({ id, title, excerpt, updatedAt }) => (
          <li key={id}>
            <Link
              to="/notes/$noteId"
              params={{ noteId: id }}
              className="block rounded-lg px-3 py-2.5 hover:bg-accent"
              activeProps={{ className: 'bg-accent' }}
            >
              <span className="block truncate text-sm font-medium">{title}</span>
              <span className="mt-0.5 block truncate text-[0.8125rem] text-muted-foreground">
                <time dateTime={updatedAt}>{DAY.format(new Date(updatedAt))}</time> {excerpt}
              </span>
            </Link>
          </li>
        ))}
      </ul>
      {hasNextPage && (
        <Button look="secondary" isPending={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show more
        </Button>
      )}
    </div>
  );
}
