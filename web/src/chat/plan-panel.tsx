// The plan of the agent above the box to write in, as it changes.
import { ChevronRight, ListTodo } from 'lucide-react';
import { Collapsible } from 'radix-ui';
import { useState } from 'react';
import { doneIn, type PlanItem } from './plan.ts';
import { PlanList } from './plan-list.tsx';
import type { Turn } from './turns.ts';

interface PlanPanelProps {
  readonly plan: readonly PlanItem[];
  readonly lastTurn: Turn | undefined;
}

/** Gone when there is nothing left to do and the conversation has gone on. */
export function PlanPanel({ plan, lastTurn }: PlanPanelProps) {
  const [isChosenOpen, setChosenOpen] = useState<boolean>();
  const done = doneIn(plan);
  const isOpenPlan = done < plan.length;
  if (plan.length === 0 || (!isOpenPlan && !writesPlan(lastTurn))) return null;
  const isOpen = isChosenOpen ?? (isOpenPlan && matchMedia('(min-width: 640px)').matches);
  const current = plan.find(({ status }) => status === 'in_progress');
  return (
    <Collapsible.Root
      open={isOpen}
      onOpenChange={setChosenOpen}
      asChild
      className="min-w-0 overflow-hidden rounded-xl border border-border bg-surface"
    >
      <section aria-label="Plan">
        <Collapsible.Trigger className="group flex w-full min-w-0 items-center gap-2.5 px-3.5 py-2 text-left text-[0.8125rem] pointer-coarse:min-h-10 hover:bg-accent focus-visible:-outline-offset-2">
          <ListTodo aria-hidden className="size-4 shrink-0 text-muted-foreground" />
          <span className="shrink-0 font-medium">Plan</span>
          <span dir="auto" className="min-w-0 flex-1 truncate text-muted-foreground">
            {isOpen ? '' : (current?.content ?? '')}
          </span>
          <span className="shrink-0 text-xs text-muted-foreground tabular-nums">
            {done} of {plan.length} done
          </span>
          <ChevronRight
            aria-hidden
            className="size-4 shrink-0 text-muted-foreground transition-transform group-data-[state=open]:rotate-90"
          />
        </Collapsible.Trigger>
        <Collapsible.Content className="border-t border-border">
          <div
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
            tabIndex={0}
            className="max-h-[26dvh] overflow-y-auto px-3.5 py-2.5 focus-visible:-outline-offset-2"
          >
            <PlanList plan={plan} />
          </div>
        </Collapsible.Content>
      </section>
    </Collapsible.Root>
  );
}

function writesPlan(turn: Turn | undefined): boolean {
  return turn?.steps.some(({ calls }) => calls.some(({ name }) => name === 'write_todos')) === true;
}
