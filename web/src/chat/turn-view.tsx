// One turn: the message of the person, then the steps of the agent.
import { RefreshCw } from 'lucide-react';
import { memo, type ReactNode } from 'react';
import { Markdown } from '../markdown/lazy-markdown.tsx';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { BranchSwitcher } from './branch-switcher.tsx';
import { CallCard } from './call-card.tsx';
import type { Fork } from './checkpoint-tree.ts';
import { HumanMessage } from './human-message.tsx';
import type { AiView } from './message-view.ts';
import { QuestionCard } from './question-card.tsx';
import { Reasoning } from './reasoning.tsx';
import { useTurnActions } from './turn-actions.ts';
import type { Turn } from './turns.ts';
import { isAskedAbout, type Waiting } from './waiting.ts';

interface TurnViewProps {
  readonly turn: Turn;
  readonly state: 'running' | 'waiting' | 'over';
  /** Whether the answer can be written anew: it is the last one, and complete. */
  readonly canRegenerate: boolean;
  readonly questionFork: Fork | undefined;
  readonly answerFork: Fork | undefined;
  /** Sends the answer to a question of the agent; undefined where it is too late to answer. */
  readonly onAnswer: ((text: string) => void) | undefined;
  /** What the run waits for, and the card that asks for it. */
  readonly waiting?: Waiting | undefined;
  readonly children?: ReactNode;
}

export const TurnView = memo(function TurnView(props: TurnViewProps) {
  const { turn, state, questionFork, onAnswer, waiting, children } = props;
  const last = turn.steps.at(-1);
  const isRunning = state === 'running';
  return (
    <li className="grid min-w-0 gap-2.5">
      {turn.human !== undefined && <HumanMessage message={turn.human} fork={questionFork} />}
      <div className="grid min-w-0 gap-4" data-role="assistant">
        <h2 className="sr-only">Agent</h2>
        {turn.steps.map((step) => (
          <Step
            key={step.id}
            step={step}
            turn={turn}
            isWriting={isRunning && step === last}
            onAnswer={step === last ? onAnswer : undefined}
            callState={step === last ? state : 'over'}
            waiting={waiting}
          />
        ))}
        {isRunning && !isShowingProgress(last, turn) && <Thinking />}
        {children}
        {state === 'over' && <AnswerActions {...props} />}
      </div>
    </li>
  );
});

function AnswerActions({ turn, canRegenerate, answerFork }: TurnViewProps) {
  const { threadId, regenerate } = useTurnActions();
  const { human } = turn;
  const answer = turn.steps
    .map((step) => step.text)
    .filter(Boolean)
    .join('\n\n');
  if (answer === '' && answerFork === undefined) return null;
  return (
    <div className="-mt-2 -ml-2 flex flex-wrap items-center">
      {answer !== '' && <CopyButton text={answer} label="Copy the answer" />}
      {answer !== '' && canRegenerate && human !== undefined && (
        <Button
          look="quiet"
          size="icon-small"
          aria-label="Answer again"
          title="Answer again"
          onClick={() => regenerate(human.id)}
        >
          <RefreshCw />
        </Button>
      )}
      {threadId !== undefined && answerFork !== undefined && (
        <BranchSwitcher threadId={threadId} fork={answerFork} label="Versions of this answer" />
      )}
    </div>
  );
}

interface StepProps {
  readonly step: AiView;
  readonly turn: Turn;
  readonly isWriting: boolean;
  readonly callState: TurnViewProps['state'];
  readonly waiting: Waiting | undefined;
  readonly onAnswer: TurnViewProps['onAnswer'];
}

function Step({ step, turn, isWriting, callState, waiting, onAnswer }: StepProps) {
  const isThinking = isWriting && step.text === '' && step.calls.length === 0;
  return (
    <>
      {step.reasoning !== '' && <Reasoning text={step.reasoning} isThinking={isThinking} />}
      {step.text !== '' && <Markdown text={step.text} isWriting={isWriting && step.calls.length === 0} />}
      {step.calls.map((call) => {
        const result = turn.results.get(call.id);
        if (result?.question !== undefined)
          return <QuestionCard key={call.id} question={result.question} onAnswer={onAnswer} />;
        // The card that asks shows all of it.
        if (result === undefined && isAskedAbout(waiting, call)) return null;
        return <CallCard key={call.id} call={call} result={result} turnState={callState} namespace="" />;
      })}
    </>
  );
}

/** Whether something on the screen already moves. */
function isShowingProgress(step: AiView | undefined, turn: Turn): boolean {
  if (step === undefined) return false;
  if (step.calls.length > 0) return step.calls.some((call) => !turn.results.has(call.id));
  return step.text !== '' || step.reasoning !== '';
}

function Thinking() {
  return (
    <div aria-hidden className="flex h-7 items-center gap-1.5">
      {[0, 180, 360].map((delay) => (
        <span
          key={delay}
          className="size-1.5 animate-[breathe_1.2s_ease-in-out_infinite] rounded-full bg-muted-foreground"
          style={{ animationDelay: `${delay}ms` }}
        />
      ))}
    </div>
  );
}
