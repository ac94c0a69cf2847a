// A formula; its source until the program that sets it has arrived.
import { lazy, Suspense } from 'react';

export interface FormulaProps {
  /** LaTeX. */
  readonly text: string;
  readonly display: 'inline' | 'block';
}

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

/** One that has the place of a paragraph. */
export function FormulaBlock({ text }: Pick<FormulaProps, 'text'>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a formula that scrolls must be reachable by keyboard.
    <figure tabIndex={0} aria-label="Formula" className="formula-block more-beside">
      <Formula text={text} display="block" />
    </figure>
  );
}
