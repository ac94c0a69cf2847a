// What is left of today.
import type { DayBudget } from '../api/shapes.ts';
import { exactTokensText, moneyText, timeText } from './amounts.ts';
import { Meter } from './meter.tsx';

export function BudgetSection({ budget }: { readonly budget: DayBudget }) {
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
