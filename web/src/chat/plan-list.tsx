// The items of a plan, each with how far it is, as a sign and in words.
import { CircleCheck, CircleDashed, CircleDot } from 'lucide-react';
import { cn } from '../ui/cn.ts';
import type { PlanItem } from './plan.ts';

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
