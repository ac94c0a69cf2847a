// A table of values, row by row.
import { parse } from 'papaparse';
import { useMemo, useState } from 'react';
import { Button } from '../ui/button.tsx';

const MOST_AT_FIRST = 300;

interface TableViewProps {
  readonly text: string;
  /** Undefined to detect the separator from the text. */
  readonly separator: string | undefined;
}

export default function TableView({ text, separator }: TableViewProps) {
  const [isWhole, setWhole] = useState(false);
  const rows = useMemo(
    () =>
      parse<string[]>(text.replace(/^\uFEFF/, ''), {
        delimiter: separator ?? '',
        skipEmptyLines: true,
      }).data,
    [text, separator],
  );
  const [head = [], ...body] = rows;
  const numeric = useMemo(() => (rows[0] ?? []).map((_, column) => isNumeric(rows.slice(1), column)), [rows]);
  const sideOf = (column: number) => (numeric[column] ? 'text-right' : 'text-left');
  const shown = isWhole ? body : body.slice(0, MOST_AT_FIRST);
  return (
    <section
      aria-label="Table"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls must be reachable by keyboard.
      tabIndex={0}
      className="more-beside min-h-0 flex-1 overflow-auto focus-visible:-outline-offset-2"
    >
      <table className="min-w-full border-separate border-spacing-0 text-[0.8125rem] tabular-nums">
        <thead>
          <tr>
            {head.map((cell, column) => (
              <th
                // biome-ignore lint/suspicious/noArrayIndexKey: a cell is known by its place.
                key={column}
                scope="col"
                className={`sticky top-0 border-b border-border bg-muted px-3 py-2 font-semibold whitespace-nowrap first:pl-4 ${sideOf(column)}`}
              >
                {cell}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a row is known by its place.
            <tr key={index} className="hover:bg-accent">
              {row.map((cell, column) => (
                <td
                  // biome-ignore lint/suspicious/noArrayIndexKey: a cell is known by its place.
                  key={column}
                  className={`max-w-80 truncate border-b border-border px-3 py-1.5 first:pl-4 ${sideOf(
                    column,
                  )}`}
                  title={cell.length > 40 ? cell : undefined}
                >
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <div className="flex items-center gap-3 px-4 py-2.5 text-xs text-muted-foreground">
        {body.length} {body.length === 1 ? 'row' : 'rows'}
        {shown.length < body.length && (
          <Button variant="secondary" size="small" onClick={() => setWhole(true)}>
            Show all
          </Button>
        )}
      </div>
    </section>
  );
}

const NUMBER = /^[-+]?[\d.,]*\d\s?%?$/;
const SAMPLED_ROWS = 20;

function isNumeric(rows: readonly (readonly string[])[], column: number): boolean {
  const cells = rows.slice(0, SAMPLED_ROWS).flatMap((row) => row[column] || []);
  return cells.length > 0 && cells.every((cell) => NUMBER.test(cell));
}
