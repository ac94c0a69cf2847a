// The text of a file with syntax highlighting.
import { HighlightedLine, useHighlighted } from '../markdown/highlighted.tsx';
import { useIsWide } from '../ui/use-is-wide.ts';

/** Highlighting a longer text would take too long. */
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
