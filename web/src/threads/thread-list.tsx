// The threads of the user, newest first, with a search box.
import { Link } from '@tanstack/react-router';
import { CloudOff } from 'lucide-react';
import { useId, useSyncExternalStore } from 'react';
import type { Thread } from '../api/shapes.ts';
import { useServices } from '../services/services.tsx';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { type Period, periodOf } from '../ui/relative-time.ts';
import { useNow } from '../ui/use-now.ts';
import { FoundThreads } from './found-threads.tsx';
import { SearchBox } from './search-box.tsx';
import { ThreadLink } from './thread-link.tsx';
import { useThreads } from './thread-queries.ts';
import { useThreadSearch } from './use-thread-search.ts';

export function ThreadList({ onOpen }: { readonly onOpen: () => void }) {
  const search = useThreadSearch(onOpen);
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="px-3 pb-2">
        <SearchBox search={search} />
      </div>
      <nav aria-label="Chats" className="min-h-0 flex-1 overflow-y-auto px-3 pb-4">
        {search.isSearching ? <FoundThreads search={search} /> : <AllThreads onOpen={onOpen} />}
      </nav>
    </div>
  );
}

function AllThreads({ onOpen }: { readonly onOpen: () => void }) {
  const now = useNow();
  const list = useThreads();
  const threads = list.data?.pages.flatMap((page) => page.threads) ?? [];
  const groups = groupThreads(threads, now);
  return (
    <>
      <UnsentChats onOpen={onOpen} />
      {list.isPending && <Skeleton />}
      {list.isError && (
        <Notice
          tone="danger"
          actions={
            <Button variant="secondary" size="small" onClick={() => list.refetch()}>
              Try again
            </Button>
          }
        >
          Your chats could not be loaded.
        </Notice>
      )}
      {list.isSuccess && groups.length === 0 && (
        <p className="px-2.5 py-3 text-sm leading-relaxed text-muted-foreground">Your chats appear here.</p>
      )}
      {groups.map((group) => (
        <Group key={group.period} group={group} now={now} onOpen={onOpen} />
      ))}
      {list.hasNextPage && (
        <Button
          variant="quiet"
          size="small"
          className="mt-2 w-full"
          disabled={list.isFetchingNextPage}
          onClick={() => list.fetchNextPage()}
        >
          Show older
        </Button>
      )}
    </>
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

function Skeleton() {
  return (
    <div role="status" aria-label="Loading your chats" className="grid gap-2.5 px-2.5 pt-3">
      {['75%', '55%', '82%', '64%', '48%'].map((width) => (
        <div key={width} className="h-4 animate-pulse rounded bg-accent" style={{ width }} />
      ))}
    </div>
  );
}

interface ThreadGroup {
  readonly period: Period;
  readonly threads: readonly Thread[];
}

/** Groups threads by period. The threads must come newest first, and the groups keep that order. */
function groupThreads(threads: readonly Thread[], now: Date): readonly ThreadGroup[] {
  return [...Map.groupBy(threads, (thread) => periodOf(new Date(thread.state_updated_at), now))].map(
    ([period, members]) => ({ period, threads: members }),
  );
}

function UnsentChats({ onOpen }: { readonly onOpen: () => void }) {
  const { outbox } = useServices();
  const id = useId();
  const items = useSyncExternalStore(outbox.subscribe, outbox.items);
  const waiting = items.filter(({ isNew, state }) => isNew && (state === 'waiting' || state === 'refused'));
  const first = new Map(waiting.toReversed().map((it) => [it.threadId, it.text]));
  if (first.size === 0) return null;
  return (
    <section aria-labelledby={id} className="mt-1 mb-3">
      <h2 id={id} className="px-2.5 py-1 text-xs font-medium text-muted-foreground">
        Not sent yet
      </h2>
      <ul>
        {[...first].map(([threadId, text]) => (
          <li key={threadId}>
            <Link
              to="/threads/$threadId"
              params={{ threadId }}
              onClick={onOpen}
              className="flex items-center gap-2 rounded-lg p-2 pl-2.5 text-sm hover:bg-accent data-[status=active]:bg-accent data-[status=active]:font-medium"
            >
              <CloudOff aria-hidden className="size-3.5 shrink-0 text-muted-foreground" />
              <span className="min-w-0 flex-1 truncate">{text}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
