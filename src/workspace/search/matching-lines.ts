// The lines of a text that an expression matches.

export interface MatchingLine {
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

const MAX_LINE_CHARACTERS = 200;

/** Up to `limit` lines, cut to what a person reads; an expression sees one line at a time. */
export function matchingLines(text: string, expression: RegExp, limit: number): readonly MatchingLine[] {
  const found: MatchingLine[] = [];
  let line = 0;
  for (let from = 0; from <= text.length && found.length < limit; ) {
    const newline = text.indexOf('\n', from);
    const end = newline === -1 ? text.length : newline;
    line++;
    const content = text.slice(from, text[end - 1] === '\r' ? end - 1 : end);
    if ((from < text.length || line === 1) && expression.test(content))
      found.push({ line, text: shortened(content) });
    from = end + 1;
  }
  return found;
}

function shortened(line: string): string {
  return line.length > MAX_LINE_CHARACTERS ? `${line.slice(0, MAX_LINE_CHARACTERS)}...` : line;
}
