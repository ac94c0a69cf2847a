// The list beside the note that is open; on a phone one of the two.
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, Outlet, useMatchRoute } from '@tanstack/react-router';
import { LogOut } from 'lucide-react';
import { meQuery, useSignOut } from '../auth/session.ts';
import { Button, buttonClass } from '../ui/button.tsx';
import { cn } from '../ui/cn.ts';
import { NoteList } from './note-list.tsx';

export function NotesPage() {
  const me = useSuspenseQuery(meQuery).data;
  const signOut = useSignOut();
  const isList = useMatchRoute()({ to: '/' }) !== false;
  return (
    <div className="flex h-full flex-col">
      <header className="flex h-14 shrink-0 items-center gap-2.5 border-b bg-surface px-4">
        <img src="/favicon.svg" alt="" className="size-7" />
        <h1 className="min-w-0 flex-1 truncate font-semibold tracking-tight">{document.title}</h1>
        <Link to="/account" title="Account" className={cn(buttonClass('quiet', 'small'), 'max-w-1/2 shrink')}>
          <span className="truncate">{me?.email}</span>
        </Link>
        <Button look="quiet" size="icon" aria-label="Sign out" title="Sign out" onClick={() => signOut.mutate()}>
          <LogOut />
        </Button>
      </header>
      <main className="flex min-h-0 flex-1">
        <nav
          aria-label="Notes"
          className={cn('w-full overflow-y-auto bg-sidebar md:block md:w-80 md:border-r', !isList && 'hidden')}
        >
          <NoteList />
        </nav>
        <div className={cn('min-w-0 flex-1 overflow-y-auto md:block', isList && 'hidden')}>
          <Outlet />
        </div>
      </main>
    </div>
  );
}

export function NoNotePage() {
  return (
    <div className="grid h-full place-content-center p-8 text-center text-sm text-muted-foreground">
      <h2 className="text-base font-medium text-foreground">No note is open</h2>
      Choose one from the list, or write a new one.
    </div>
  );
}
