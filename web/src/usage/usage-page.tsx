// What the person has used: today's budget, the last 30 days, the models.
import { ChartNoAxesColumn } from 'lucide-react';
import type { Usage } from '../api/shapes.ts';
import { useModelNames } from '../chat/use-model-names.ts';
import { SettingsPage } from '../settings/settings-page.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Notice } from '../ui/notice.tsx';
import { costText, dayText, shortTokensText, tokensText } from './amounts.ts';
import { BudgetSection } from './budget-section.tsx';
import { SpendingTable } from './spending-table.tsx';
import { useUsage } from './usage-query.ts';

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

/** The table below says the same to those who do not see it. */
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
