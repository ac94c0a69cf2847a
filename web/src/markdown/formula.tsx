// A formula drawn by KaTeX. Loaded with the first formula.
import katex from 'katex';
import 'katex/dist/katex.min.css';
import { memo, useLayoutEffect, useRef } from 'react';
import { usePrinting } from '../print/printing.tsx';

/** A formula can only be displayed, with no trusted commands, and cannot expand without end. */
const LIMITS = { trust: false, throwOnError: false, strict: 'ignore', maxExpand: 200, maxSize: 20 } as const;
const MOST_LETTERS = 10_000;
/** CSS pixels that an answer has on the narrowest usual paper, A4. */
const PAPER_WIDTH = 640;
/** Of the whole formula, as a part of what it is on the screen (`markdown.css`). */
const SIZE = '--fits-paper';

export interface FormulaProps {
  /** LaTeX. */
  readonly text: string;
  readonly display: 'inline' | 'block';
}

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
    // Its fonts may still be loading.
    let isOver = false;
    document.fonts.ready.then(() => isOver || fitOnPaper(formula)).catch(reportError);
    return () => {
      isOver = true;
      formula.style.removeProperty(SIZE);
    };
  }, [isPrinting, display]);
  return <span ref={place} dir="ltr" />;
});

/** Made as small as its widest part needs: between the parts lines are broken. */
function fitOnPaper(formula: HTMLElement): void {
  formula.style.removeProperty(SIZE);
  let fits = 1;
  // Hinted letters do not become narrower in step with their size.
  for (let tries = 0; tries < 3; tries += 1) {
    const widths = [...formula.querySelectorAll('.katex-base')].map((it) => it.getBoundingClientRect().width);
    const widest = Math.max(1, ...widths);
    if (widest <= PAPER_WIDTH) return;
    fits *= PAPER_WIDTH / widest;
    formula.style.setProperty(SIZE, fits.toFixed(3));
  }
}
