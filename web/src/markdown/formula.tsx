// A formula drawn by KaTeX. This module is loaded with the first formula.
import katex from 'katex';
import 'katex/dist/katex.min.css';
import { memo, useLayoutEffect, useRef } from 'react';
import { usePrinting } from '../print/printing.tsx';

/** A formula can only be displayed. It has no trusted commands, and its expansion and size are limited. */
const LIMITS = { trust: false, throwOnError: false, strict: 'ignore', maxExpand: 200, maxSize: 20 } as const;
const MOST_LETTERS = 10_000;
/** The width of a reply in CSS pixels on A4, the narrowest usual paper. */
const PAPER_WIDTH = 640;
/** The size of the whole formula on paper, relative to its size on the screen (`markdown.css`). */
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
    // The fonts of the formula may still be loading.
    let isOver = false;
    document.fonts.ready.then(() => isOver || fitOnPaper(formula)).catch(reportError);
    return () => {
      isOver = true;
      formula.style.removeProperty(SIZE);
    };
  }, [isPrinting, display]);
  return <span ref={place} dir="ltr" />;
});

/** Makes the formula as small as its widest part requires. Lines break between the parts. */
function fitOnPaper(formula: HTMLElement): void {
  formula.style.removeProperty(SIZE);
  let fits = 1;
  // The width of hinted letters does not shrink in proportion to their size.
  for (let tries = 0; tries < 3; tries += 1) {
    const widths = [...formula.querySelectorAll('.katex-base')].map((it) => it.getBoundingClientRect().width);
    const widest = Math.max(1, ...widths);
    if (widest <= PAPER_WIDTH) return;
    fits *= PAPER_WIDTH / widest;
    formula.style.setProperty(SIZE, fits.toFixed(3));
  }
}
