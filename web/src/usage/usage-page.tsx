// The page of usage: today's budget, the last 30 days, and the models.
import { queryOptions, useQuery } from '@tanstack/react-query';
import { ChartNoAxesColumn } from 'lucide-react';
import type { Api } from '../api/api.ts';
import type { DayBudget, Spent, Usage } from '../api/shapes.ts';
import { useServices } from '../services/services.tsx';
import { SettingsPage } from '../settings/settings-page.tsx';
import { Notice } from '../ui/notice.tsx';
import { EmptyState } from '../ui/page.tsx';
import {
  costText,
  dayText,
  exactTokensText,
  moneyText,
  shortTokensText,
  timeText,
  tokensText,
  useModelNames,
} from './amounts.ts';
import { Meter } from './meter.tsx';

export function UsagePage() {
  const usage = useUsage();
  return (
    <SettingsPage title="Usage">
      {usage.error !== null && <Notice tone="danger">{usage.error.message}</Notice>}
      {usage.data !== undefined && <UsageView usage={usage.data} />}
    </SettingsPage>
  );
}

function UsageView({ usage }: { readonly usage: Usage }) {
  const nameOf = useModelNames();
  const { budget, total, by_model, days } = usage;
  const used = days.filter(({ calls }) => calls > 0).reverse();
  return (
    <>
      {budget !== null && <BudgetSection budget={budget} />}
      {total.calls === 0 ? (
        <EmptyState icon={ChartNoAxesColumn}>No usage in the last 30 days.</EmptyState>
      ) : (
        <DayBars usage={usage} />
      )}
      {total.calls > 0 && (
        <>
          <SpendingTable
            title="Models"
            of="Model"
            rows={Object.entries(by_model).map(([name, spent]) => [nameOf(name), spent])}
          />
          <SpendingTable title="Days" of="Day (UTC)" rows={used.map((day) => [dayText(day.date), day])} />
        </>
      )}
    </>
  );
}

/** A bar chart. The table below has the same data for screen readers. */
function DayBars({ usage: { total, days } }: { readonly usage: Usage }) {
  const most = Math.max(...days.map(({ tokens }) => tokens));
  const cost = costText(total);
  return (
    <section
      aria-label="The last 30 days"
      className="grid gap-4 rounded-xl border border-border bg-surface p-4"
    >
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <h2 className="text-[0.9375rem] font-semibold tracking-tight">The last 30 days</h2>
        <p className="text-sm tabular-nums">
          {tokensText(total.tokens)} tokens{cost !== undefined && ` · ${cost}`}
        </p>
      </div>
      <div aria-hidden className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2 gap-y-1.5">
        <div className="flex h-28 flex-col justify-between text-right text-xs text-muted-foreground tabular-nums">
          <span>{shortTokensText(most)}</span>
          <span>{shortTokensText(most / 2)}</span>
          <span>0</span>
        </div>
        <div className="flex h-28 items-end gap-0.5 border-b border-l border-border sm:gap-1">
          {days.map(({ date, tokens }) => (
            <div
              key={date}
              title={`${dayText(date)}: ${tokensText(tokens)} tokens`}
              className="flex h-full min-w-0 flex-1 items-end rounded-sm hover:bg-accent"
            >
              <div
                className="w-full rounded-sm bg-primary"
                style={{ height: tokens === 0 ? '1px' : `${Math.max(3, (tokens / most) * 100)}%` }}
              />
            </div>
          ))}
        </div>
        <div className="col-start-2 flex justify-between text-xs text-muted-foreground">
          <span>{dayText(days[0]?.date ?? '')}</span>
          <span>{dayText(days.at(-1)?.date ?? '')}</span>
        </div>
      </div>
    </section>
  );
}

const usageQuery = (api: Api) =>
  queryOptions({ queryKey: ['usage'], queryFn: () => api.usage(), staleTime: 0 });

function useUsage() {
  const { api } = useServices();
  return useQuery(usageQuery(api));
}

function BudgetSection({ budget }: { readonly budget: DayBudget }) {
  const { tokens, cost, resets_at } = budget;
  return (
    <section
      aria-label="Today’s budget"
      className="grid gap-4 rounded-xl border border-border bg-surface p-4"
    >
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <h2 className="text-[0.9375rem] font-semibold tracking-tight">Today’s budget</h2>
        <p className="text-[0.8125rem] text-muted-foreground">Resets at {timeText(resets_at)}</p>
      </div>
      {tokens !== null && (
        <Meter
          label="Tokens"
          share={tokens.used / tokens.limit}
          text={`${exactTokensText(tokens.used)} of ${exactTokensText(tokens.limit)}`}
        />
      )}
      {cost !== null && (
        <Meter
          label="Cost"
          share={cost.used / cost.limit}
          text={`${moneyText(cost.used, cost.currency)} of ${moneyText(cost.limit, cost.currency)}`}
        />
      )}
    </section>
  );
}

interface SpendingTableProps {
  readonly title: string;
  /** The header of the first column. */
  readonly of: string;
  readonly rows: readonly (readonly [name: string, spent: Spent])[];
}

const NUMBER = 'py-2 pl-4 text-right whitespace-nowrap tabular-nums';

function SpendingTable({ title, of, rows }: SpendingTableProps) {
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
