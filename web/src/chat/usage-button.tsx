// The usage of a chat in its header: the filled share of the context, and the cost so far.
import { useThreadUsage } from '../conversation/usage.ts';
import type { Conversation } from '../conversation/use-conversation.ts';
import { Button } from '../ui/button.tsx';
import { cn } from '../ui/cn.ts';
import { Popover } from '../ui/menu.tsx';
import { costText, exactTokensText, tokensText, useModelNames } from '../usage/amounts.ts';
import { Meter } from '../usage/meter.tsx';

interface UsageButtonProps {
  readonly threadId: string | undefined;
  readonly conversation: Conversation;
}

/**
 * Shows nothing before the first run has ended, or when neither the context nor a price is known. Each reply
 * shows its own tokens.
 */
export function UsageButton({ threadId, conversation }: UsageButtonProps) {
  const usage = useThreadUsage(threadId, conversation);
  const nameOf = useModelNames();
  if (usage?.spent === undefined) return null;
  const { spent, context } = usage;
  const cost = costText(spent);
  if (cost === undefined && context === null) return null;
  const percent = context === null ? undefined : Math.min(100, Math.round(context.ratio * 100));
  return (
    <Popover
      label="Usage of this chat"
      trigger={
        <Button variant="quiet" size="small" title="Usage of this chat" className="px-2 tabular-nums">
          {percent !== undefined && (
            <>
              <Ring percent={percent} />
              <span className="sr-only">Context</span>
              <span>{percent} %</span>
              <span className="sr-only">full,</span>
            </>
          )}
          <span className={cn(percent !== undefined && 'max-sm:sr-only')}>
            {cost ?? `${tokensText(spent.tokens)} tokens`}
          </span>
          <span className="sr-only">so far</span>
        </Button>
      }
    >
      <div className="grid gap-4">
        {context !== null && (
          <div className="grid gap-1.5">
            <Meter
              label="Context"
              share={context.ratio}
              text={`${exactTokensText(context.tokens)} of ${exactTokensText(context.context_window)}`}
            />
            <p className="text-[0.8125rem] leading-snug text-muted-foreground">
              What the model reads for each answer. Before it is full, earlier messages are summarised for it;
              you still see them all.
            </p>
          </div>
        )}
        <dl className="grid gap-1 text-sm">
          <Amount name="Tokens so far" value={tokensText(spent.tokens)} />
          {cost !== undefined && <Amount name="Cost so far" value={cost} />}
          <Amount name="Models" value={spent.models.map(nameOf).join(', ')} />
        </dl>
      </div>
    </Popover>
  );
}

function Amount({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div className="flex justify-between gap-4">
      <dt>{name}</dt>
      <dd className="min-w-0 text-right text-muted-foreground tabular-nums [overflow-wrap:anywhere]">
        {value}
      </dd>
    </div>
  );
}

/** A ring that fills up. The text beside it says the same. */
function Ring({ percent }: { readonly percent: number }) {
  return (
    <svg viewBox="0 0 16 16" aria-hidden className="-rotate-90">
      <circle cx="8" cy="8" r="6" fill="none" strokeWidth="3" className="stroke-accent" />
      <circle
        cx="8"
        cy="8"
        r="6"
        fill="none"
        strokeWidth="3"
        pathLength={100}
        strokeDasharray={`${percent} 100`}
        className={percent < 90 ? 'stroke-primary' : 'stroke-danger'}
      />
    </svg>
  );
}
