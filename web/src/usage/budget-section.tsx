// What is left of today.
import type { DayBudget } from '../api/shapes.ts';
import { cn } from '../ui/cn.ts';
import { exactTokensText, moneyText, timeText } from './amounts.ts';

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

interface MeterProps {
  readonly label: string;
  readonly share: number;
  readonly text: string;
}

function Meter({ label, share, text }: MeterProps) {
  const percent = Math.min(100, Math.round(share * 100));
  return (
    <div className="grid gap-1.5 text-sm">
      <div className="flex flex-wrap justify-between gap-x-4">
        <span>{label}</span>
        <span className="text-muted-foreground tabular-nums">{text}</span>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: browsers do not let its looks be changed alike */}
      <div
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        aria-valuetext={text}
        className="h-2 overflow-hidden rounded-full bg-accent"
      >
        <div
          className={cn('h-full rounded-full', percent < 90 ? 'bg-primary' : 'bg-danger')}
          style={{ width: `${percent}%` }}
        />
      </div>
    </div>
  );
}
