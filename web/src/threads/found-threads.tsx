// The results of a search: threads, each with its messages that contain the words.
import { type ReactNode, useId } from 'react';
import type { FoundThread } from '../api/shapes.ts';
import { cn } from '../ui/cn.ts';
import { Notice } from '../ui/notice.tsx';
import type { SearchHit, ThreadSearch } from './use-thread-search.ts';

export function FoundThreads({ search }: { readonly search: ThreadSearch }) {
  const { found, error, isPending, listId } = search;
  return (
    <>
      <p role="status" className="sr-only">
        {isPending || found === undefined ? '' : countOf(found.results.length)}
      </p>
      {error !== null && <Notice tone="danger">Search failed: {error.message}</Notice>}
      {found !== undefined && found.results.length === 0 && !isPending && (
        <p className="px-2.5 py-3 text-sm leading-relaxed text-muted-foreground">
          No chats match your search.
        </p>
      )}
      <div
        id={listId}
        role="listbox"
        aria-label="Found"
        className={cn('space-y-1', isPending && 'opacity-60')}
      >
        {found?.results.map((thread) => (
          <FoundThreadView key={thread.thread_id} thread={thread} search={search} />
        ))}
      </div>
      {found?.has_more === true && (
        <p className="px-2.5 pt-2 text-xs text-muted-foreground">
          There are more results. Add a word to narrow the search.
        </p>
      )}
    </>
  );
}

interface FoundThreadProps {
  readonly thread: FoundThread;
  readonly search: ThreadSearch;
}

function FoundThreadView({ thread, search }: FoundThreadProps) {
  const id = useId();
  const threadId = thread.thread_id;
  const title = <MarkedText text={thread.title ?? 'New chat'} marks={thread.title_marks} />;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a group of options is no form.
    <div role="group" aria-labelledby={id}>
      {thread.title_marks.length > 0 ? (
        <Hit hit={{ threadId, messageId: undefined }} search={search}>
          <span id={id} className="block truncate font-medium">
            {title}
          </span>
        </Hit>
      ) : (
        <p id={id} className="truncate px-2.5 pt-2 pb-0.5 text-xs font-medium text-muted-foreground">
          {title}
        </p>
      )}
      {thread.matches.map(({ message_id: messageId, seq, role, snippet, marks }) => (
        <Hit key={seq} hit={{ threadId, messageId }} search={search}>
          <span className="line-clamp-3 leading-snug [overflow-wrap:anywhere]">
            <span className="text-muted-foreground">{role === 'user' ? 'You: ' : ''}</span>
            <MarkedText text={snippet} marks={marks} />
          </span>
        </Hit>
      ))}
    </div>
  );
}

interface HitProps {
  readonly hit: SearchHit;
  readonly search: ThreadSearch;
  readonly children: ReactNode;
}

/** One hit. The focus stays in the search box, which names the selected hit to screen readers. */
function Hit({ hit, search, children }: HitProps) {
  const id = search.optionId(hit);
  const isActive = id === search.activeId;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are heard by the box.
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isActive}
      onClick={() => search.open(hit)}
      onMouseDown={(event) => event.preventDefault()}
      className={cn(
        'cursor-pointer rounded-lg px-2.5 py-1.5 text-sm hover:bg-accent pointer-coarse:py-2.5',
        isActive && 'bg-accent',
      )}
    >
      {children}
    </div>
  );
}

function countOf(threads: number): string {
  if (threads === 0) return 'Nothing was found.';
  return threads === 1 ? 'Found one chat.' : `Found ${threads} chats.`;
}

interface MarkedTextProps {
  readonly text: string;
  readonly marks: readonly (readonly [number, number])[];
}

function MarkedText({ text, marks }: MarkedTextProps) {
  const last = marks.at(-1)?.[1] ?? 0;
  return (
    <>
      {marks.map(([start, end], index) => (
        <span key={start}>
          {text.slice(marks[index - 1]?.[1] ?? 0, start)}
          <mark className="rounded-sm bg-primary-soft text-inherit underline decoration-primary decoration-2 underline-offset-2">
            {text.slice(start, end)}
          </mark>
        </span>
      ))}
      {text.slice(last)}
    </>
  );
}
