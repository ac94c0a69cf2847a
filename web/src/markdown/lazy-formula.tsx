// A formula. Its source is shown until KaTeX is loaded.
import { lazy, Suspense } from 'react';
import type { FormulaProps } from './formula.tsx';

const Rendered = lazy(() => import('./formula.tsx'));

export function Formula(props: FormulaProps) {
  return (
    <Suspense
      fallback={
        <code data-unfinished className="inline-code">
          {props.text}
        </code>
      }
    >
      <Rendered {...props} />
    </Suspense>
  );
}

/** A formula that replaces a paragraph. */
export function FormulaBlock({ text }: Pick<FormulaProps, 'text'>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a formula that scrolls must be reachable by keyboard.
    <figure tabIndex={0} aria-label="Formula" className="formula-block more-beside">
      <Formula text={text} display="block" />
    </figure>
  );
}
