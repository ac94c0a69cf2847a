// The unsent draft of a chat, kept across reloads and a new sign-in of the same person.
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { ownStorage } from '../services/own-storage.ts';

/** A component that reads the draft here does not render on every key, which would be slow in a long chat. */
export interface Draft {
  readonly text: () => string;
  readonly change: (text: string) => void;
  readonly subscribe: (listener: () => void) => () => void;
}

export function useDraft(userId: string, threadId: string | undefined): Draft {
  const name = draftName(threadId);
  const [storage] = useState(() => ownStorage(userId));
  const known = useRef(name);
  const [draft] = useState(() => createDraft(storage.get(name) ?? '', keep));
  function keep(text: string): void {
    storage.set(known.current, text || undefined);
  }
  // A new chat that gets its id while the first message is being written keeps the draft.
  useEffect(() => {
    if (known.current === name) return;
    storage.set(known.current, undefined);
    known.current = name;
    storage.set(name, draft.text() || undefined);
  }, [storage, name, draft]);
  return draft;
}

/** Returns the current text. Renders on every change. */
export function useDraftText({ subscribe, text }: Draft): string {
  return useSyncExternalStore(subscribe, text);
}

/** Whether the draft is empty. Renders only when that changes. */
export function useIsDraftEmpty({ subscribe, text }: Draft): boolean {
  return useSyncExternalStore(subscribe, () => text() === '');
}

/** Stores a draft for the chat that is opened next. */
export function leaveDraft(userId: string, threadId: string | undefined, text: string): void {
  ownStorage(userId).set(draftName(threadId), text || undefined);
}

function createDraft(first: string, keep: (text: string) => void): Draft {
  let text = first;
  const listeners = new Set<() => void>();
  return {
    text: () => text,
    change: (next) => {
      text = next;
      keep(next);
      for (const listener of listeners) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function draftName(threadId: string | undefined): string {
  return `draft:${threadId ?? 'new'}`;
}
