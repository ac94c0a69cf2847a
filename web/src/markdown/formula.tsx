// A formula as KaTeX sets it. Fetched with the first one that is seen.
import katex from 'katex';
import 'katex/dist/katex.min.css';
import { memo, useLayoutEffect, useRef } from 'react';
import { usePrinting } from '../print/printing.tsx';
import type { FormulaProps } from './lazy-formula.tsx';

/** A formula of an answer can do nothing but be seen, and cannot grow without end. */
const LIMITS = { trust: false, throwOnError: false, strict: 'ignore', maxExpand: 200, maxSize: 20 } as const;
const MOST_LETTERS = 10_000;
/** CSS pixels that an answer has on the narrowest usual paper, A4. */
const PAPER_WIDTH = 640;

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
  const isPrinting = usePrinting();
  useLayoutEffect(() => {
    const formula = place.current;
    if (!isPrinting || display !== 'block' || formula === null) return;
    fitOnPaper(formula);
    // Its letters may still be on their way.
    document.fonts.ready.then(() => fitOnPaper(formula)).catch(reportError);
  }, [isPrinting, display]);
  return <span ref={place} dir="ltr" />;
});

/** Made as small as its widest part needs: between the parts lines are broken. */
function fitOnPaper(formula: HTMLElement): void {
  formula.style.removeProperty('--fits-paper');
  const widths = [...formula.querySelectorAll('.katex-base')].map((it) => it.getBoundingClientRect().width);
  const fits = Math.min(1, PAPER_WIDTH / Math.max(1, ...widths));
  formula.style.setProperty('--fits-paper', fits.toFixed(3));
}
