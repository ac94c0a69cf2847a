// A table of what days or models took.
import type { Spent } from '../api/shapes.ts';
import { costText, tokensText } from './amounts.ts';

interface SpendingTableProps {
  readonly title: string;
  /** What the first column is. */
  readonly of: string;
  readonly rows: readonly (readonly [name: string, spent: Spent])[];
}

const NUMBER = 'py-2 pl-4 text-right whitespace-nowrap tabular-nums';

export function SpendingTable({ title, of, rows }: SpendingTableProps) {
  const hasCost = rows.some(([, { cost }]) => cost !== null);
  return (
    <section aria-label={title} className="grid gap-2 rounded-xl border border-border bg-surface p-4">
      <h2 className="text-[0.9375rem] font-semibold tracking-tight">{title}</h2>
      <table className="w-full text-sm">
        <thead className="text-[0.8125rem] text-muted-foreground">
          <tr>
            <th scope="col" className="py-1 text-left font-normal">
              {of}
            </th>
            <th scope="col" className="py-1 pl-4 text-right font-normal max-sm:hidden">
              Calls
            </th>
            <th scope="col" className="py-1 pl-4 text-right font-normal max-sm:hidden">
              Input
            </th>
            <th scope="col" className="py-1 pl-4 text-right font-normal max-sm:hidden">
              Output
            </th>
            <th scope="col" className="py-1 pl-4 text-right font-normal">
              Total tokens
            </th>
            {hasCost && (
              <th scope="col" className="py-1 pl-4 text-right font-normal">
                Cost
              </th>
            )}
          </tr>
        </thead>
        <tbody className="divide-y divide-border border-t border-border">
          {rows.map(([name, spent]) => (
            <tr key={name}>
              <th scope="row" className="py-2 text-left font-normal [overflow-wrap:anywhere]">
                {name}
              </th>
              <td className={`${NUMBER} max-sm:hidden`}>{tokensText(spent.calls)}</td>
              <td className={`${NUMBER} max-sm:hidden`}>{tokensText(spent.input_tokens)}</td>
              <td className={`${NUMBER} max-sm:hidden`}>{tokensText(spent.output_tokens)}</td>
              <td className={NUMBER}>{tokensText(spent.tokens)}</td>
              {hasCost && <td className={NUMBER}>{costText(spent) ?? '–'}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
