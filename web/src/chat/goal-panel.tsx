// The goal of the chat above the box to write in: how it stands, why, and what can be done with it.
import { Target } from 'lucide-react';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { FoldingPanel } from './folding-panel.tsx';
import { spentText, standingOf } from './goal.ts';
import { GoalDialog } from './goal-dialog.tsx';
import type { Turn } from './turns.ts';
import type { Conversation } from './use-conversation.ts';
import type { GoalControl } from './use-goal.ts';

interface GoalPanelProps {
  readonly control: GoalControl;
  readonly phase: Conversation['phase'];
  readonly lastTurn: Turn | undefined;
  /** Says something in the place of the person. */
  readonly onSay: (text: string) => void;
}

/** A goal that was reached is gone when the conversation has gone on. */
export function GoalPanel({ control, phase, lastTurn, onSay }: GoalPanelProps) {
  const { goal, isSetting, openDialog, remove, isPending, error } = control;
  const dialog = isSetting && <GoalDialog control={control} />;
  const judged = goal?.evaluation?.message_id;
  const isPast = goal?.status === 'met' && lastTurn?.steps.every(({ id }) => id !== judged) !== false;
  if (goal === undefined || isPast) return dialog;
  const isIdle = phase === 'idle';
  const { word, tone, sentence, next } = standingOf(goal, !isIdle);
  const goOn = () => {
    if (next === 'Set again') openDialog();
    else onSay(next === 'Start' ? goal.text : 'Go on towards the goal.');
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
              <Button look="secondary" size="small" onClick={goOn}>
                {next}
              </Button>
            )}
            {isIdle && next !== 'Set again' && (
              <Button look="quiet" size="small" onClick={openDialog}>
                Change
              </Button>
            )}
            {isIdle && (
              <Button look="quiet" size="small" disabled={isPending} onClick={() => remove()}>
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

/** Nothing while a goal is shown with its own ways to change it, or while the service would refuse one. */
export function GoalButton({ control: { goal, openDialog }, phase }: GoalButtonProps) {
  if (phase !== 'idle' || (goal !== undefined && goal.status !== 'met')) return null;
  return (
    <Button
      look="quiet"
      size="small"
      aria-haspopup="dialog"
      title="Goes on by itself until a goal is reached"
      onClick={openDialog}
      className="px-2.5"
    >
      <Target aria-hidden />
      <span className="max-sm:sr-only">Goal</span>
    </Button>
  );
}
