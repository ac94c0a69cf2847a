// A formula as KaTeX sets it. Fetched with the first one that is seen.
import katex from 'katex';
import 'katex/dist/katex.min.css';
import { memo, useLayoutEffect, useRef } from 'react';
import type { FormulaProps } from './lazy-formula.tsx';

/** A formula of an answer can do nothing but be seen, and cannot grow without end. */
const LIMITS = { trust: false, throwOnError: false, strict: 'ignore', maxExpand: 200, maxSize: 20 } as const;
const MOST_LETTERS = 10_000;

export default memo(function Formula({ text, display }: FormulaProps) {
  const place = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    if (place.current === null) return;
    if (text.length > MOST_LETTERS) place.current.textContent = text;
    else
      katex.render(text, place.current, {
        ...LIMITS,
        displayMode: display === 'block',
        errorColor: 'var(--danger)',
      });
  }, [text, display]);
  return <span ref={place} dir="ltr" />;
});
