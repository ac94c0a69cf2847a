// A block of code: its language, a copy button, its colours.
import { useEffect, useState } from 'react';
import { useIsCodeFenceIncomplete } from 'streamdown';
import { CopyButton } from '../ui/copy-button.tsx';
import type { CodeLine } from './highlight.ts';

interface CodeBlockProps {
  readonly language: string;
  readonly code: string;
}

export function CodeBlock({ language, code }: CodeBlockProps) {
  const isIncomplete = useIsCodeFenceIncomplete();
  const text = code.replace(/\n$/, '');
  const lines = useHighlighted({ language, code: text, isIncomplete });
  return (
    <figure className="overflow-hidden rounded-xl border border-border bg-code">
      <figcaption className="flex h-9 items-center justify-between border-b border-border pr-1 pl-3.5 text-xs text-muted-foreground">
        <span className="font-mono">{language === '' ? 'text' : language}</span>
        <CopyButton text={text} label="Copy the code" />
      </figcaption>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: code that scrolls must be reachable by keyboard.
        tabIndex={0}
        className="overflow-x-auto px-4 py-3.5 font-mono text-[0.8125rem] leading-[1.65] focus-visible:-outline-offset-2"
      >
        <code>
          {lines === undefined ? text : lines.map((line) => <Line key={line.offset} line={line} />)}
        </code>
      </pre>
    </figure>
  );
}

function Line({ line }: { readonly line: CodeLine }) {
  return (
    <>
      {line.tokens.map((token) => (
        <span key={token.offset} className="token" style={token.style}>
          {token.text}
        </span>
      ))}
      {'\n'}
    </>
  );
}

interface Block extends CodeBlockProps {
  readonly isIncomplete: boolean;
}

/** The coloured lines of the code; while newer ones are made, of what there was before. */
function useHighlighted({ language, code, isIncomplete }: Block): readonly CodeLine[] | undefined {
  const [made, setMade] = useState<{ readonly code: string; readonly lines: readonly CodeLine[] }>();
  useEffect(() => {
    let isCurrent = true;
    const show = (lines: readonly CodeLine[]) => {
      if (isCurrent) setMade({ code, lines });
    };
    import('./highlight.ts')
      .then(({ highlight }) => highlight({ language, code, isIncomplete }, show))
      .catch(reportError);
    return () => {
      isCurrent = false;
    };
  }, [language, code, isIncomplete]);
  if (made === undefined) return undefined;
  // Lines that lag behind by a few letters would hide the newest words: the plain text is better then.
  return code.startsWith(made.code) && code.length - made.code.length < 200
    ? withRest(made.lines, code.slice(made.code.length), made.code.length)
    : undefined;
}

function withRest(lines: readonly CodeLine[], rest: string, offset: number): readonly CodeLine[] {
  const last = lines.at(-1);
  if (rest === '' || last === undefined) return lines;
  const tail = { ...last, tokens: [...last.tokens, { offset, text: rest, style: {} }] };
  return [...lines.slice(0, -1), tail];
}
