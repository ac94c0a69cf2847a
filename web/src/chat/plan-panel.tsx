// The plan of the agent above the box to write in, as it changes.
import { ListTodo } from 'lucide-react';
import { FoldingPanel } from './folding-panel.tsx';
import { doneIn, type PlanItem } from './plan.ts';
import { PlanList } from './plan-list.tsx';
import type { Turn } from './turns.ts';

interface PlanPanelProps {
  readonly plan: readonly PlanItem[];
  readonly lastTurn: Turn | undefined;
}

/** Gone when there is nothing left to do and the conversation has gone on. */
export function PlanPanel({ plan, lastTurn }: PlanPanelProps) {
  const done = doneIn(plan);
  const isOpenPlan = done < plan.length;
  if (plan.length === 0 || (!isOpenPlan && !writesPlan(lastTurn))) return null;
  return (
    <FoldingPanel
      label="Plan"
      icon={ListTodo}
      summary={plan.find(({ status }) => status === 'in_progress')?.content ?? ''}
      note={`${done} of ${plan.length} done`}
      startsOpen={isOpenPlan}
    >
      <PlanList plan={plan} />
    </FoldingPanel>
  );
}

function writesPlan(turn: Turn | undefined): boolean {
  return turn?.steps.some(({ calls }) => calls.some(({ name }) => name === 'write_todos')) === true;
}
