// The search for chats: the text, the hits, and the selected hit.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useDeferredValue, useEffect, useId, useState } from 'react';
import type { Found, FoundThread } from '../api/shapes.ts';
import { useServices } from '../services/services.tsx';

/** The target of a search hit: a thread, or a message in it. */
export interface SearchHit {
  readonly threadId: string;
  /** Undefined when the hit opens the thread without a message. */
  readonly messageId: string | undefined;
}

export interface ThreadSearch {
  readonly words: string;
  readonly setWords: (words: string) => void;
  readonly isSearching: boolean;
  readonly found: Found | undefined;
  readonly error: Error | null;
  readonly isPending: boolean;
  /** The id of the list of hits, for the search box. */
  readonly listId: string;
  readonly activeId: string | undefined;
  readonly optionId: (hit: SearchHit) => string;
  readonly open: (hit: SearchHit) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

const PAUSE_MS = 120;

export function useThreadSearch(onOpen: () => void): ThreadSearch {
  const { api } = useServices();
  const navigate = useNavigate();
  const listId = useId();
  const [words, setWords] = useState('');
  const [active, setActive] = useState(0);
  const asked = usePaused(words.trim());
  const isSearching = words.trim() !== '';
  const query = useQuery({
    queryKey: ['search', asked],
    queryFn: () => api.findThreads(asked),
    enabled: asked !== '',
    placeholderData: keepPreviousData,
    // The next search finds later messages.
    staleTime: 5_000,
  });
  const found = useDeferredValue(isSearching ? query.data : undefined);
  const hits = found?.results.flatMap(hitsOf) ?? [];
  const optionId = ({ threadId, messageId }: SearchHit) => `${listId}-${threadId}-${messageId ?? ''}`;
  const open = ({ threadId, messageId = '' }: SearchHit) => {
    onOpen();
    navigate({ to: '/threads/$threadId', params: { threadId }, hash: messageId }).catch(reportError);
  };
  const current = hits[Math.min(active, hits.length - 1)];
  const move = (steps: number) => {
    const next = (Math.min(active, hits.length - 1) + steps + hits.length) % hits.length;
    setActive(next);
    const hit = hits[next];
    if (hit !== undefined) document.getElementById(optionId(hit))?.scrollIntoView({ block: 'nearest' });
  };
  return {
    words,
    setWords(next) {
      setWords(next);
      setActive(0);
    },
    isSearching,
    found,
    error: query.error,
    isPending: isSearching && (query.isPending || asked !== words.trim()),
    listId,
    activeId: current && optionId(current),
    optionId,
    open,
    onKeyDown(event) {
      if (event.key === 'Escape') setWords('');
      // While an input method composes a word, the keys belong to it.
      if (event.nativeEvent.isComposing || current === undefined) return;
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step !== undefined) move(step);
      else if (event.key === 'Enter') open(current);
      else return;
      event.preventDefault();
    },
  };
}

/** Returns the title first, if it contains the words, and then the messages. */
function hitsOf({ thread_id: threadId, title_marks, matches }: FoundThread): readonly SearchHit[] {
  const messages = matches.map((it) => ({ threadId, messageId: it.message_id }));
  return title_marks.length > 0 ? [{ threadId, messageId: undefined }, ...messages] : messages;
}

function usePaused(value: string): string {
  const [paused, setPaused] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return paused;
}
