// One turn: the message of the person, then the steps of the agent.
import { memo, type ReactNode, type RefObject, useMemo } from 'react';
import type { Run, RunUsage } from '../api/shapes.ts';
import { mayChangeFiles } from '../changes/may-change-files.ts';
import { TurnChanges } from '../changes/turn-changes.tsx';
import { TurnRecordProvider } from '../changes/turn-record.ts';
import { cn } from '../ui/cn.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { AnswerAgain } from './answer-again.tsx';
import { type AnswerEnd, answerEnd, earlierAnswerEnd } from './answer-end.ts';
import { AnswerEndMark } from './answer-end-mark.tsx';
import { AnswerProgress } from './answer-progress.tsx';
import { AnswerRating } from './answer-rating.tsx';
import { BranchSwitcher } from './branch-switcher.tsx';
import type { Fork } from './checkpoint-tree.ts';
import { FallbackLines } from './fallback-lines.tsx';
import { FoldedWork } from './folded-work.tsx';
import { HumanMessage } from './human-message.tsx';
import { useAnswersOf } from './known-answers.ts';
import type { AiView } from './message-view.ts';
import { useAnswerRating } from './ratings.ts';
import { useTurnActions } from './turn-actions.ts';
import { turnParts } from './turn-parts.ts';
import { useTurnRuns } from './turn-runs.ts';
import { TurnStep } from './turn-step.tsx';
import type { Turn } from './turns.ts';
import { UsageLine } from './usage-line.tsx';
import type { ModelFallback } from './use-model-fallbacks.ts';
import type { ProviderPause } from './use-provider-pause.ts';
import type { Waiting } from './waiting.ts';

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
  readonly fallbacks?: readonly ModelFallback[] | undefined;
  /** Why the model says nothing yet. */
  readonly pause?: ProviderPause | undefined;
  readonly children?: ReactNode;
}

/** Drawn when it comes into view; the padding keeps what hangs over its edges from being cut off. */
const DRAWN_IN_VIEW =
  '-mx-4 -my-2 px-4 py-2 [contain-intrinsic-size:auto_16rem] [content-visibility:auto] sm:-mx-6 sm:px-6';

export const TurnView = memo(function TurnView(props: TurnViewProps) {
  const { turn, state, questionFork, fallbacks, pause, children } = props;
  useAnswersOf(turn);
  const { threadId } = useTurnActions();
  const { runIds, runs } = useTurnRuns(props);
  const isTold = state === 'over' && mayChangeFiles(turn) && runIds.length > 0;
  const calls = turn.steps.flatMap((step) => step.calls);
  const last = turn.steps.at(-1);
  const isRunning = state === 'running';
  return (
    <TurnRecordProvider value={{ threadId, runIds: isTold ? runIds : [], calls }}>
      {turn.human !== undefined && <HumanMessage message={turn.human} fork={questionFork} />}
      <div className="grid min-w-0 gap-4" data-role="assistant">
        <h2 className="sr-only">Agent</h2>
        <AnswerParts {...props} runs={runs} />
        {fallbacks !== undefined && <FallbackLines fallbacks={fallbacks} />}
        {turn.isWrittenAnew === true && <WrittenAnew />}
        {isRunning && !isShowingProgress(last, turn) && <AnswerProgress pause={pause} />}
        {state === 'over' && <AnswerEndMark end={endOf(runs.at(-1), props)} />}
        {children}
      </div>
      {isTold && threadId !== undefined ? (
        <TurnChanges threadId={threadId} runIds={runIds}>
          <AnswerLine {...props} runs={runs} />
        </TurnChanges>
      ) : (
        <AnswerLine {...props} runs={runs} />
      )}
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

interface AnswerPartsProps
  extends Pick<TurnViewProps, 'turn' | 'state' | 'isNewest' | 'onAnswer' | 'waiting'> {
  readonly runs: readonly RunUsage[];
}

function AnswerParts({ turn, state, isNewest, onAnswer, waiting, runs }: AnswerPartsProps) {
  const parts = useMemo(() => turnParts(turn), [turn]);
  const isWhole = state === 'over' && parts.filter(({ kind }) => kind === 'work').length === 1;
  const last = turn.steps.at(-1);
  return parts.map((part) => {
    if (part.kind === 'work')
      return (
        <FoldedWork key={part.steps[0]?.id} calls={part.calls} runs={isWhole ? runs : []}>
          {part.steps.map((step) => (
            <TurnStep key={step.id} step={step} turn={turn} callState="over" />
          ))}
        </FoldedWork>
      );
    const { step } = part;
    const now = step === last ? { isWriting: state === 'running', onAnswer, callState: state } : undefined;
    return (
      <TurnStep
        key={step.id}
        step={step}
        turn={turn}
        startsOpen={isNewest}
        callState="over"
        waiting={waiting}
        {...now}
      />
    );
  });
}

/** Why the newest answer failed is said beside the button that tries again. */
function endOf(run: RunUsage | undefined, { turn, isNewest }: TurnViewProps): AnswerEnd | undefined {
  if (!isNewest) return earlierAnswerEnd(run, turn);
  const end = answerEnd(run, turn);
  return end?.kind === 'failed' ? undefined : end;
}

interface AnswerLineProps extends TurnViewProps {
  readonly runs: readonly RunUsage[];
}

/** Beside what the agent says, not in it. Under what asks it has its room before it is known: buttons stay in their place. */
function AnswerLine({ runs, ...props }: AnswerLineProps) {
  const { state } = props;
  return (
    <div
      className={cn(
        '-mt-0.5 -ml-2 flex min-w-0 flex-wrap items-center',
        state === 'waiting' ? 'min-h-6' : 'empty:hidden',
      )}
    >
      {state === 'over' && <AnswerActions {...props} />}
      <UsageLine runs={runs} />
    </div>
  );
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
      {hasAnswer && <CopyButton text={answer} label="Copy answer" />}
      {canRegenerate && human !== undefined && (
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

function WrittenAnew() {
  return (
    <p role="status" className="text-[0.8125rem] text-muted-foreground">
      The answer was interrupted and is being written again.
    </p>
  );
}

/** Whether something on the screen already moves. */
function isShowingProgress(step: AiView | undefined, turn: Turn): boolean {
  if (step === undefined) return false;
  if (step.calls.length > 0) return step.calls.some((call) => !turn.results.has(call.id));
  return step.text !== '' || step.reasoning !== '';
}
