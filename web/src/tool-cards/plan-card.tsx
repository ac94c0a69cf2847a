// A call that writes the plan, with the plan that it wrote.
import { CircleCheck, CircleDashed, CircleDot } from 'lucide-react';
import { doneIn, type PlanItem, readPlan } from '../conversation/thread-state.ts';
import { cn } from '../ui/cn.ts';
import { type CallCardProps, CallText, callStateOf, ToolFrame } from './tool-frame.tsx';

export function PlanCard({ call, result, turnState }: CallCardProps) {
  const plan = readPlan(call.args.todos);
  const current = plan.find(({ status }) => status === 'in_progress');
  return (
    <ToolFrame
      name={call.name}
      state={callStateOf(result, turnState)}
      summary={current?.content ?? ''}
      badge={plan.length === 0 ? undefined : `${doneIn(plan)} of ${plan.length}`}
    >
      <div className="grid min-w-0 gap-3 px-3.5 py-3">
        {plan.length > 0 && <PlanList plan={plan} />}
        {(result?.status === 'error' || plan.length === 0) && (
          <CallText
            title={result?.status === 'error' ? 'Error' : 'Result'}
            text={result?.text ?? 'No result yet.'}
          />
        )}
      </div>
    </ToolFrame>
  );
}

const SIGNS = { pending: CircleDashed, in_progress: CircleDot, completed: CircleCheck } as const;
const TONES = {
  pending: 'text-muted-foreground',
  in_progress: 'text-primary',
  completed: 'text-success',
} as const;
const WORDS = { pending: 'To do', in_progress: 'In progress', completed: 'Done' } as const;

export function PlanList({ plan }: { readonly plan: readonly PlanItem[] }) {
  return (
    <ol aria-label="Items of the plan" className="grid gap-1.5">
      {plan.map(({ content, status }, index) => {
        const Sign = SIGNS[status];
        return (
          <li
            // biome-ignore lint/suspicious/noArrayIndexKey: an item is its place, and two may say the same.
            key={index}
            data-plan-status={status}
            aria-current={status === 'in_progress' ? 'step' : undefined}
            className="flex min-w-0 items-start gap-2 text-[0.8125rem] leading-snug"
          >
            <Sign aria-hidden className={cn('mt-px size-4 shrink-0', TONES[status])} />
            <span
              dir="auto"
              className={cn(
                'min-w-0 flex-1 [overflow-wrap:anywhere]',
                status === 'in_progress' && 'font-medium',
                status === 'completed' && 'text-muted-foreground line-through',
              )}
            >
              {content}
            </span>
            <span className={cn('shrink-0 text-xs leading-[inherit]', TONES[status])}>{WORDS[status]}</span>
          </li>
        );
      })}
    </ol>
  );
}
