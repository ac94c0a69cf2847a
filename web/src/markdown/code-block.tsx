// A block of code with its language, a copy button and its colours.
import { useIsCodeFenceIncomplete } from 'streamdown';
import { CopyButton } from '../ui/copy-button.tsx';
import { HighlightedLine, useHighlighted } from './highlighted.tsx';

interface CodeBlockProps {
  readonly language: string;
  readonly code: string;
}

export function CodeBlock({ language, code }: CodeBlockProps) {
  const isIncomplete = useIsCodeFenceIncomplete();
  const text = code.replace(/\n$/, '');
  const lines = useHighlighted({ language, code: text, isIncomplete });
  return (
    <figure dir="ltr" className="coloured overflow-clip rounded-xl border border-border bg-code">
      <figcaption className="sticky top-0 z-10 flex min-h-9 items-center justify-between border-b border-border bg-code pr-1 pl-3.5 text-xs text-muted-foreground">
        <span className="font-mono">{language === '' ? 'text' : language}</span>
        <CopyButton text={text} label="Copy code" className="focus-visible:-outline-offset-2" />
      </figcaption>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: code that scrolls must be reachable by keyboard.
        tabIndex={0}
        className="overflow-x-auto px-4 py-3.5 font-mono text-[0.8125rem] leading-[1.65] focus-visible:-outline-offset-2"
      >
        <code>
          {lines === undefined
            ? text
            : lines.map((line) => <HighlightedLine key={line.offset} line={line} />)}
        </code>
      </pre>
    </figure>
  );
}
