// The threads of the user, newest first, with a box that filters them by title.
import { Search, X } from 'lucide-react';
import { useEffect, useId, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { groupThreads, type ThreadGroup } from './thread-groups.ts';
import { ThreadLink } from './thread-link.tsx';
import { useThreads } from './thread-queries.ts';
import { useNow } from './use-now.ts';

export function ThreadList({ onOpen }: { readonly onOpen: () => void }) {
  const [query, setQuery] = useState('');
  const now = useNow();
  const list = useThreads();
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  const isFiltering = query.trim() !== '';

  // The service cannot search titles, so a filter needs all of them here.
  useEffect(() => {
    if (isFiltering && hasNextPage && !isFetchingNextPage) fetchNextPage().catch(reportError);
  }, [isFiltering, hasNextPage, isFetchingNextPage, fetchNextPage]);

  const threads = list.data?.pages.flatMap((page) => page.threads) ?? [];
  const groups = groupThreads(threads, query, now);
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="px-3 pb-2">
        <FilterBox value={query} onChange={setQuery} />
      </div>
      <nav aria-label="Chats" className="min-h-0 flex-1 overflow-y-auto px-3 pb-4">
        {list.isPending && <Skeleton />}
        {list.isError && (
          <Notice
            tone="danger"
            actions={
              <Button look="secondary" size="small" onClick={() => list.refetch()}>
                Try again
              </Button>
            }
          >
            Your chats could not be loaded.
          </Notice>
        )}
        {list.isSuccess && groups.length === 0 && <Empty isFiltering={isFiltering} />}
        {groups.map((group) => (
          <Group key={group.period} group={group} now={now} onOpen={onOpen} />
        ))}
        {hasNextPage && !isFiltering && (
          <Button
            look="quiet"
            size="small"
            className="mt-2 w-full"
            disabled={isFetchingNextPage}
            onClick={() => fetchNextPage()}
          >
            Show older
          </Button>
        )}
      </nav>
    </div>
  );
}

interface GroupProps {
  readonly group: ThreadGroup;
  readonly now: Date;
  readonly onOpen: () => void;
}

function Group({ group, now, onOpen }: GroupProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="mt-3 first:mt-1">
      <h2 id={id} className="px-2.5 py-1 text-xs font-medium text-muted-foreground">
        {group.period}
      </h2>
      <ul>
        {group.threads.map((thread) => (
          <ThreadLink key={thread.thread_id} thread={thread} now={now} onOpen={onOpen} />
        ))}
      </ul>
    </section>
  );
}

function FilterBox({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  return (
    <div className="relative">
      <Search
        aria-hidden
        className="pointer-events-none absolute top-1/2 left-3 size-4 -translate-y-1/2 text-muted-foreground"
      />
      <input
        type="search"
        aria-label="Search chats by title"
        placeholder="Search chats"
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && onChange('')}
        className="h-9 w-full rounded-lg border border-border bg-surface pr-9 pl-9 text-base placeholder:text-muted-foreground focus-visible:outline-offset-0 sm:text-sm [&::-webkit-search-cancel-button]:hidden"
      />
      {value !== '' && (
        <button
          type="button"
          aria-label="Clear the search"
          onClick={() => onChange('')}
          className="absolute top-1/2 right-1.5 grid size-6 -translate-y-1/2 place-items-center rounded-md text-muted-foreground hover:bg-accent hover:text-foreground"
        >
          <X aria-hidden className="size-3.5" />
        </button>
      )}
    </div>
  );
}

function Empty({ isFiltering }: { readonly isFiltering: boolean }) {
  return (
    <p className="px-2.5 py-3 text-sm leading-relaxed text-muted-foreground">
      {isFiltering ? 'No chat has these words in its title.' : 'Your chats will be listed here.'}
    </p>
  );
}

function Skeleton() {
  return (
    <div role="status" aria-label="Loading your chats" className="grid gap-2.5 px-2.5 pt-3">
      {['75%', '55%', '82%', '64%', '48%'].map((width) => (
        <div key={width} className="h-4 animate-pulse rounded bg-accent" style={{ width }} />
      ))}
    </div>
  );
}
