// Highlighted code, updated line by line as it arrives.
import { useEffect, useState } from 'react';
import type { CodeLine } from './highlight.ts';

interface Block {
  readonly language: string;
  readonly code: string;
  readonly isIncomplete: boolean;
}

/**
 * Returns the highlighted lines. While newer ones are being made, these are the lines of the previous code.
 */
export function useHighlighted({ language, code, isIncomplete }: Block): readonly CodeLine[] | undefined {
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
  // Highlighted lines that lag behind would hide the newest words, so plain text is better.
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

export function HighlightedLine({ line }: { readonly line: CodeLine }) {
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
