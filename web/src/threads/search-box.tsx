// The search box for chats. `/` and Ctrl+K focus it.
import { Search, X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { ThreadSearch } from './use-thread-search.ts';

export function SearchBox({ search }: { readonly search: ThreadSearch }) {
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const element = box.current;
      if (element === null || !isShortcut(event) || !element.checkVisibility()) return;
      event.preventDefault();
      element.focus();
      element.select();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
  const { words, setWords } = search;
  return (
    <search className="relative block">
      <Search
        aria-hidden
        className="pointer-events-none absolute top-1/2 left-3 size-4 -translate-y-1/2 text-muted-foreground"
      />
      <input
        ref={box}
        type="search"
        role="combobox"
        aria-label="Search titles and messages"
        aria-keyshortcuts="/ Control+K"
        aria-expanded={search.isSearching}
        aria-controls={search.listId}
        aria-autocomplete="list"
        aria-activedescendant={search.activeId}
        autoComplete="off"
        maxLength={500}
        placeholder="Search chats"
        value={words}
        onChange={(event) => setWords(event.target.value)}
        onKeyDown={search.onKeyDown}
        className="peer h-9 w-full pointer-coarse:h-10 rounded-lg border border-border bg-surface pr-9 pl-9 text-base placeholder:text-muted-foreground focus-visible:outline-offset-0 sm:text-sm [&::-webkit-search-cancel-button]:hidden"
      />
      {words === '' ? (
        <kbd
          aria-hidden
          className="pointer-events-none absolute top-1/2 right-2.5 -translate-y-1/2 rounded border border-border px-1.5 text-xs text-muted-foreground peer-focus:hidden pointer-coarse:hidden"
        >
          /
        </kbd>
      ) : (
        <button
          type="button"
          aria-label="Clear the search"
          onClick={() => setWords('')}
          className="absolute top-1/2 right-1.5 grid size-6 pointer-coarse:right-0 pointer-coarse:size-10 -translate-y-1/2 place-items-center rounded-md text-muted-foreground hover:bg-accent hover:text-foreground"
        >
          <X aria-hidden className="size-3.5" />
        </button>
      )}
    </search>
  );
}

/** Whether the key focuses the search box. In a text field, a slash is an ordinary character. */
function isShortcut(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.altKey || event.shiftKey) return false;
  if (event.ctrlKey || event.metaKey) return event.key.toLowerCase() === 'k';
  const { target } = event;
  const isWriting =
    target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'));
  return event.key === '/' && !isWriting;
}
