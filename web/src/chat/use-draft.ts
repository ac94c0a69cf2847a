// What was typed and not yet sent, kept over a reload of the page.
import { useState } from 'react';

export function useDraft(threadId: string | undefined): readonly [string, (text: string) => void] {
  const key = `draft:${threadId ?? 'new'}`;
  const [text, setText] = useState(() => sessionStorage.getItem(key) ?? '');
  const change = (next: string) => {
    setText(next);
    if (next === '') sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, next);
  };
  return [text, change];
}
