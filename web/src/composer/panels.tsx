// The panels above the composer: the plan and the goal of the chat.
import { ChevronRight, ListTodo, type LucideIcon, Target } from 'lucide-react';
import { Collapsible } from 'radix-ui';
import { type ReactNode, useState } from 'react';
import { doneIn, type PlanItem } from '../conversation/thread-state.ts';
import type { Turn } from '../conversation/turns.ts';
import type { Conversation } from '../conversation/use-conversation.ts';
import { PlanList } from '../tool-cards/plan-card.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { GoalDialog } from './goal-dialog.tsx';
import { type GoalControl, goalStatus, spentText } from './use-goal.ts';

interface PlanPanelProps {
  readonly plan: readonly PlanItem[];
  readonly lastTurn: Turn | undefined;
}

/** Hidden once everything is done and the conversation has moved on. */
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

interface GoalPanelProps {
  readonly control: GoalControl;
  readonly phase: Conversation['phase'];
  readonly lastTurn: Turn | undefined;
  /** Sends a message on the person's behalf. */
  readonly onSay: (text: string) => void;
}

/** A goal that was met is hidden once the conversation has moved on. */
export function GoalPanel({ control, phase, lastTurn, onSay }: GoalPanelProps) {
  const { goal, isSetting, openDialog, remove, isPending, error } = control;
  const dialog = isSetting && <GoalDialog control={control} />;
  const judged = goal?.evaluation?.message_id;
  const isPast = goal?.status === 'met' && lastTurn?.steps.every(({ id }) => id !== judged) !== false;
  if (goal === undefined || isPast) return dialog;
  const isIdle = phase === 'idle';
  const { word, tone, sentence, next } = goalStatus(goal, !isIdle);
  const goOn = () => {
    if (next === 'Set again') openDialog();
    else onSay(next === 'Start' ? goal.text : 'Continue towards the goal.');
  };
  return (
    <>
      <FoldingPanel
        label="Goal"
        icon={Target}
        summary={goal.text}
        note={<Badge tone={tone}>{word}</Badge>}
        startsOpen={goal.status !== 'met'}
      >
        <div className="grid gap-2 text-[0.8125rem] leading-snug">
          {error !== null && !isSetting && <Notice tone="danger">{error.message}</Notice>}
          <p dir="auto" className="font-medium whitespace-pre-wrap [overflow-wrap:anywhere]">
            {goal.text}
          </p>
          {goal.evaluation !== null && (
            <p dir="auto" className="[overflow-wrap:anywhere]">
              <span className="text-muted-foreground">Last judgement: </span>
              {goal.evaluation.reason}
            </p>
          )}
          <p className="text-muted-foreground">{sentence}</p>
          <div className="flex flex-wrap items-center gap-x-1 gap-y-1.5">
            <span className="mr-auto text-muted-foreground tabular-nums">{spentText(goal)}</span>
            {isIdle && next !== undefined && (
              <Button variant="secondary" size="small" onClick={goOn}>
                {next}
              </Button>
            )}
            {isIdle && next !== 'Set again' && (
              <Button variant="quiet" size="small" onClick={openDialog}>
                Change
              </Button>
            )}
            {isIdle && (
              <Button variant="quiet" size="small" disabled={isPending} onClick={() => remove()}>
                Remove
              </Button>
            )}
          </div>
        </div>
      </FoldingPanel>
      {dialog}
    </>
  );
}

interface GoalButtonProps {
  readonly control: GoalControl;
  readonly phase: Conversation['phase'];
}

/** Hidden while a goal is shown with its own buttons, or while the service would refuse one. */
export function GoalButton({ control: { goal, openDialog }, phase }: GoalButtonProps) {
  if (phase !== 'idle' || (goal !== undefined && goal.status !== 'met')) return null;
  return (
    <Button
      variant="quiet"
      size="small"
      aria-haspopup="dialog"
      title="Continues on its own until a goal is reached"
      onClick={openDialog}
      className="px-2.5"
    >
      <Target aria-hidden />
      <span className="@max-lg:sr-only">Goal</span>
    </Button>
  );
}

interface FoldingPanelProps {
  readonly label: string;
  readonly icon: LucideIcon;
  /** Shown beside the label while the panel is closed. */
  readonly summary: string;
  /** Shown at the end of the line. */
  readonly note: ReactNode;
  /** The state until the person opens or closes the panel. */
  readonly startsOpen: boolean;
  readonly children: ReactNode;
}

function FoldingPanel({ label, icon: Icon, summary, note, startsOpen, children }: FoldingPanelProps) {
  const [isChosenOpen, setChosenOpen] = useState<boolean>();
  const isOpen = isChosenOpen ?? (startsOpen && matchMedia('(min-width: 640px)').matches);
  return (
    <Collapsible.Root
      open={isOpen}
      onOpenChange={setChosenOpen}
      asChild
      className="min-w-0 overflow-hidden rounded-xl border border-border bg-surface"
    >
      <section aria-label={label}>
        <Collapsible.Trigger className="group flex w-full min-w-0 items-center gap-2.5 px-3.5 py-2 text-left text-[0.8125rem] pointer-coarse:min-h-10 hover:bg-accent focus-visible:-outline-offset-2">
          <Icon aria-hidden className="size-4 shrink-0 text-muted-foreground" />
          <span className="shrink-0 font-medium">{label}</span>
          <span dir="auto" className="min-w-0 flex-1 truncate text-muted-foreground">
            {isOpen ? '' : summary}
          </span>
          <span className="shrink-0 text-xs text-muted-foreground tabular-nums">{note}</span>
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
            {children}
          </div>
        </Collapsible.Content>
      </section>
    </Collapsible.Root>
  );
}
