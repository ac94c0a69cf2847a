// What was typed and not yet sent, kept over a reload of the page.
import { useEffect, useRef, useState } from 'react';

export function useDraft(threadId: string | undefined): readonly [string, (text: string) => void] {
  const key = `draft:${threadId ?? 'new'}`;
  const [text, setText] = useState(() => sessionStorage.getItem(key) ?? '');
  const known = useRef(key);
  // A new chat that gets its id while its first message is being written takes that along.
  useEffect(() => {
    if (known.current === key) return;
    sessionStorage.removeItem(known.current);
    known.current = key;
    keep(key, text);
  }, [key, text]);
  const change = (next: string) => {
    setText(next);
    keep(key, next);
  };
  return [text, change];
}

function keep(key: string, text: string): void {
  if (text === '') sessionStorage.removeItem(key);
  else sessionStorage.setItem(key, text);
}
