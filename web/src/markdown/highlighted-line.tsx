// One line of code in its colours.
import type { CodeLine } from './highlight.ts';

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
