// The text of a file with the colours of its language.

import { HighlightedLine } from '../markdown/highlighted-line.tsx';
import { useHighlighted } from '../markdown/use-highlighted.ts';
import { useIsWide } from './use-is-wide.ts';

/** Beyond that, colours take longer than people wait. */
const MOST_COLOURED_CHARACTERS = 150_000;

export function CodeText({ language, code }: { readonly language: string; readonly code: string }) {
  const isColoured = code.length <= MOST_COLOURED_CHARACTERS;
  const lines = useHighlighted({ language: isColoured ? language : '', code, isIncomplete: false });
  const isWide = useIsWide();
  return (
    <pre
      className={`coloured min-h-full w-max min-w-full bg-code px-4 py-3.5 font-mono text-[0.8125rem] leading-[1.65] ${
        isWide ? '' : 'pb-10'
      }`}
    >
      <code>
        {lines === undefined ? code : lines.map((line) => <HighlightedLine key={line.offset} line={line} />)}
      </code>
    </pre>
  );
}
