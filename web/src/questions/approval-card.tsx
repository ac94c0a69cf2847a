// Asks the person before tools run. All decisions are sent together.
import { ShieldQuestionMark } from 'lucide-react';
import { useState } from 'react';
import { toolWords } from '../conversation/tool-words.ts';
import type { AskedAction, Decision, Waiting } from '../conversation/waiting.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { ActionReview } from './action-review.tsx';
import { WaitingFrame } from './waiting-frame.tsx';

interface ApprovalCardProps {
  readonly waiting: Extract<Waiting, { kind: 'approval' }>;
  /** The task of the sub-agent that asks. Undefined when the lead agent asks. */
  readonly askingTask: string | undefined;
  /** True while an answer is being sent. */
  readonly isSending: boolean;
  readonly onAlwaysAllow: (name: string) => void;
  readonly onAnswer: (answer: { readonly decisions: readonly Decision[] }) => void;
}

export function ApprovalCard(props: ApprovalCardProps) {
  const { waiting, askingTask, isSending, onAlwaysAllow, onAnswer } = props;
  const { actions, asker, problem } = waiting;
  const [decisions, setDecisions] = useState<readonly (Decision | undefined)[]>(() =>
    actions.map(() => undefined),
  );
  const isOne = actions.length === 1;
  const decide = (index: number, decision: Decision | undefined) => {
    const next = decisions.with(index, decision);
    setDecisions(next);
    if (isOne && decision !== undefined) onAnswer({ decisions: [decision] });
  };
  return (
    <WaitingFrame
      icon={ShieldQuestionMark}
      label="Approval"
      title={titleOf(actions)}
      askingTask={askingTask}
      isSending={isSending}
    >
      {problem !== undefined && <Notice tone="warning">Your last answer could not be used. {problem}</Notice>}
      <ul className="grid min-w-0 gap-4">
        {actions.map((action, index) => (
          <li
            // biome-ignore lint/suspicious/noArrayIndexKey: actions are identified by their position, and keep it.
            key={index}
            data-action={action.name}
            className={
              isOne ? 'grid min-w-0 gap-3' : 'grid min-w-0 gap-3 rounded-lg border border-border p-3.5'
            }
          >
            {!isOne && <p className="text-sm font-medium">{toolWords(action.name)}</p>}
            <ActionReview
              action={action}
              decision={decisions[index]}
              onDecide={(decision) => decide(index, decision)}
              // Sub-agents work on different tasks, so the person approves each call.
              onAlwaysAllow={
                asker.length > 0
                  ? undefined
                  : () => {
                      onAlwaysAllow(action.name);
                      decide(index, { type: 'approve' });
                    }
              }
            />
          </li>
        ))}
      </ul>
      {!isOne && (
        <SendDecisions
          decisions={decisions}
          actions={actions}
          onSend={(made) => onAnswer({ decisions: made })}
        />
      )}
    </WaitingFrame>
  );
}

function titleOf(actions: readonly AskedAction[]): string {
  const [only] = actions;
  if (only === undefined || actions.length > 1) return `Allow these ${actions.length} actions?`;
  return `Allow “${toolWords(only.name)}”?`;
}

interface SendDecisionsProps {
  readonly actions: readonly AskedAction[];
  readonly decisions: readonly (Decision | undefined)[];
  readonly onSend: (decisions: readonly Decision[]) => void;
}

function SendDecisions({ actions, decisions, onSend }: SendDecisionsProps) {
  const made = decisions.filter((it) => it !== undefined);
  const isComplete = made.length === actions.length;
  const canAllowAll = made.length === 0 && actions.every(({ allowed }) => allowed.includes('approve'));
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button size="small" disabled={!isComplete} onClick={() => onSend(made)}>
        Submit decisions
      </Button>
      {canAllowAll && (
        <Button
          variant="secondary"
          size="small"
          onClick={() => onSend(actions.map(() => ({ type: 'approve' })))}
        >
          Allow all
        </Button>
      )}
      <p className="text-[0.8125rem] text-muted-foreground">
        {made.length} of {actions.length} decided
      </p>
    </div>
  );
}
