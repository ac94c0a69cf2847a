// One turn: the message of the person, then the steps of the agent.
import { memo, type ReactNode, type RefObject } from 'react';
import type { Run } from '../api/shapes.ts';
import { mayChangeFiles } from '../changes/may-change-files.ts';
import { TurnChanges } from '../changes/turn-changes.tsx';
import { TurnRecordProvider } from '../changes/turn-record.ts';
import { Markdown } from '../markdown/lazy-markdown.tsx';
import { cn } from '../ui/cn.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { AnswerAgain } from './answer-again.tsx';
import { AnswerRating } from './answer-rating.tsx';
import { BranchSwitcher } from './branch-switcher.tsx';
import { CallCard } from './call-card.tsx';
import type { Fork } from './checkpoint-tree.ts';
import { HumanMessage } from './human-message.tsx';
import { useAnswersOf } from './known-answers.ts';
import type { AiView } from './message-view.ts';
import { QuestionCard } from './question-card.tsx';
import { useAnswerRating, useRunsOfAnswers } from './ratings.ts';
import { Reasoning } from './reasoning.tsx';
import { useTurnActions } from './turn-actions.ts';
import type { Turn } from './turns.ts';
import { UsageLine } from './usage-line.tsx';
import { isAskedAbout, type Waiting } from './waiting.ts';

interface TurnViewProps {
  readonly turn: Turn;
  readonly state: 'running' | 'waiting' | 'over';
  /** The cards of older ones are folded until they are asked for: a long chat opens fast. */
  readonly isNewest: boolean;
  /** Whether the answer can be written anew: it is the last one, and complete. */
  readonly canRegenerate: boolean;
  readonly questionFork: Fork | undefined;
  readonly answerFork: Fork | undefined;
  /** Sends the answer to a question of the agent; undefined where it is too late to answer. */
  readonly onAnswer: ((text: string) => void) | undefined;
  /** What the run waits for, and the card that asks for it. */
  readonly waiting?: Waiting | undefined;
  /** The newest run, of the last turn alone. */
  readonly latestRun?: Run | undefined;
  readonly children?: ReactNode;
}

/** Drawn when it comes into view; the padding keeps what hangs over its edges from being cut off. */
const DRAWN_IN_VIEW =
  '-mx-4 -my-2 px-4 py-2 [contain-intrinsic-size:auto_16rem] [content-visibility:auto] sm:-mx-6 sm:px-6';

export const TurnView = memo(function TurnView(props: TurnViewProps) {
  const { turn, state, isNewest, questionFork, onAnswer, waiting, latestRun, children } = props;
  useAnswersOf(turn);
  const { threadId } = useTurnActions();
  const runIds = useRunsOfTurn(props);
  const isTold = state === 'over' && mayChangeFiles(turn) && runIds.length > 0;
  const calls = turn.steps.flatMap((step) => step.calls);
  const last = turn.steps.at(-1);
  const isRunning = state === 'running';
  return (
    <TurnRecordProvider value={{ threadId, runIds: isTold ? runIds : [], calls }}>
      {turn.human !== undefined && <HumanMessage message={turn.human} fork={questionFork} />}
      <div className="grid min-w-0 gap-4" data-role="assistant">
        <h2 className="sr-only">Agent</h2>
        {turn.steps.map((step) => (
          <Step
            key={step.id}
            step={step}
            turn={turn}
            isNewest={isNewest}
            isWriting={isRunning && step === last}
            onAnswer={step === last ? onAnswer : undefined}
            callState={step === last ? state : 'over'}
            waiting={waiting}
          />
        ))}
        {isRunning && !isShowingProgress(last, turn) && <Thinking />}
        {children}
      </div>
      {isTold && threadId !== undefined && <TurnChanges threadId={threadId} runIds={runIds} />}
      {/* Beside what the agent says, not in it. */}
      <div className="-mt-0.5 -ml-2 flex min-w-0 flex-wrap items-center empty:hidden">
        {state === 'over' && <AnswerActions {...props} />}
        <UsageLine turn={turn} latestRun={latestRun} />
      </div>
    </TurnRecordProvider>
  );
});

interface TurnPlaceProps {
  readonly ref?: RefObject<HTMLLIElement | null>;
  readonly isNewest: boolean;
  readonly children: ReactNode;
}

/** The item of the list that a turn is; it remembers its height whatever is in it. */
export function TurnPlace({ ref, isNewest, children }: TurnPlaceProps) {
  return (
    <li ref={ref} className={cn('grid min-w-0 gap-2.5', !isNewest && DRAWN_IN_VIEW)}>
      {children}
    </li>
  );
}

/** All runs of the turn; the newest one may have ended without an answer. */
function useRunsOfTurn({ turn, latestRun }: Pick<TurnViewProps, 'turn' | 'latestRun'>): readonly string[] {
  const { own, isOther } = useRunsOfAnswers(turn.steps.map((step) => step.id));
  const newest = latestRun === undefined || isOther(latestRun.run_id) ? [] : [latestRun.run_id];
  return [...new Set([...own, ...newest])];
}

function AnswerActions({ turn, canRegenerate, answerFork }: TurnViewProps) {
  const { threadId, regenerate } = useTurnActions();
  const { human } = turn;
  const rated = useAnswerRating(turn.steps.map((step) => step.id));
  const answer = turn.steps
    .map((step) => step.text)
    .filter(Boolean)
    .join('\n\n');
  const hasAnswer = answer !== '';
  return (
    <>
      {hasAnswer && <CopyButton text={answer} label="Copy the answer" />}
      {hasAnswer && canRegenerate && human !== undefined && (
        <AnswerAgain mayRestore={mayChangeFiles(turn)} onAgain={(files) => regenerate(human.id, files)} />
      )}
      {threadId !== undefined && rated !== undefined && hasAnswer && (
        <AnswerRating threadId={threadId} answer={rated} />
      )}
      {threadId !== undefined && answerFork !== undefined && (
        <BranchSwitcher threadId={threadId} fork={answerFork} label="Versions of this answer" />
      )}
    </>
  );
}

interface StepProps {
  readonly step: AiView;
  readonly turn: Turn;
  readonly isNewest: boolean;
  readonly isWriting: boolean;
  readonly callState: TurnViewProps['state'];
  readonly waiting: Waiting | undefined;
  readonly onAnswer: TurnViewProps['onAnswer'];
}

function Step({ step, turn, isNewest, isWriting, callState, waiting, onAnswer }: StepProps) {
  const isThinking = isWriting && step.text === '' && step.calls.length === 0;
  return (
    <>
      {step.reasoning !== '' && <Reasoning text={step.reasoning} isThinking={isThinking} />}
      {step.text !== '' && (
        <div data-message={step.id} className="min-w-0">
          <Markdown text={step.text} isWriting={isWriting && step.calls.length === 0} />
        </div>
      )}
      {step.calls.map((call) => {
        const result = turn.results.get(call.id);
        if (result?.question !== undefined)
          return <QuestionCard key={call.id} question={result.question} onAnswer={onAnswer} />;
        // The card that asks shows all of it.
        if (result === undefined && isAskedAbout(waiting, call)) return null;
        return (
          <CallCard
            key={call.id}
            call={call}
            result={result}
            turnState={callState}
            namespace=""
            startsOpen={isNewest}
          />
        );
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
