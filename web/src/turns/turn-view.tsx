// One turn: the message of the person and the steps of the agent.
import { memo, type ReactNode, type RefObject, useMemo } from 'react';
import type { Run, RunUsage } from '../api/shapes.ts';
import { TurnChanges } from '../changes/turn-changes.tsx';
import { mayChangeFiles, TurnRecordProvider } from '../changes/turn-record.ts';
import type { Fork } from '../conversation/branches.ts';
import type { AiView } from '../conversation/message-view.ts';
import type { ModelFallback, ProviderPause } from '../conversation/provider-events.ts';
import { earlierReplyEnd, type ReplyEnd, replyEnd } from '../conversation/reply-end.ts';
import { useRepliesOf, useTurnRuns } from '../conversation/reply-record.ts';
import { useTurnActions } from '../conversation/turn-actions.ts';
import type { Turn } from '../conversation/turns.ts';
import type { Waiting } from '../conversation/waiting.ts';
import { cn } from '../ui/cn.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { BranchSwitcher } from './branch-switcher.tsx';
import { FoldedWork, turnParts } from './folded-work.tsx';
import { HumanMessage } from './human-message.tsx';
import { ReplyAgain, UsageNote } from './reply-footer.tsx';
import { ReplyRating, useReplyRating } from './reply-rating.tsx';
import { FallbackNotes, ReplyEndMark, ReplyProgress } from './reply-status.tsx';
import { TurnStep } from './turn-step.tsx';

interface TurnViewProps {
  readonly turn: Turn;
  readonly state: 'running' | 'waiting' | 'over';
  /** The cards of earlier turns start folded, so that a long chat opens fast. */
  readonly isNewest: boolean;
  /** Whether the reply can be regenerated: it is the last one, and complete. */
  readonly canRegenerate: boolean;
  readonly questionFork: Fork | undefined;
  readonly replyFork: Fork | undefined;
  /** Sends the answer to a question of the agent. Undefined when it is too late. */
  readonly onAnswer: ((text: string) => void) | undefined;
  /** The question on which the run waits, and its card. */
  readonly waiting?: Waiting | undefined;
  /** The newest run, for the last turn only. */
  readonly latestRun?: Run | undefined;
  readonly fallbacks?: readonly ModelFallback[] | undefined;
  /** Why the model has produced no output yet. */
  readonly pause?: ProviderPause | undefined;
  readonly children?: ReactNode;
}

/** Draws a turn when it comes into view. The padding keeps overhanging parts from being clipped. */
const DRAWN_IN_VIEW =
  '-mx-4 -my-2 px-4 py-2 [contain-intrinsic-size:auto_16rem] [content-visibility:auto] sm:-mx-6 sm:px-6';

export const TurnView = memo(function TurnView(props: TurnViewProps) {
  const { turn, state, questionFork, fallbacks, pause, children } = props;
  useRepliesOf(turn);
  const { threadId } = useTurnActions();
  const { runIds, runs } = useTurnRuns(props);
  const hasRecord = state === 'over' && mayChangeFiles(turn) && runIds.length > 0;
  const calls = turn.steps.flatMap((step) => step.calls);
  const last = turn.steps.at(-1);
  const isRunning = state === 'running';
  return (
    <TurnRecordProvider value={{ threadId, runIds: hasRecord ? runIds : [], calls }}>
      {turn.human !== undefined && <HumanMessage message={turn.human} fork={questionFork} />}
      <div className="grid min-w-0 gap-4" data-role="assistant">
        <h2 className="sr-only">Agent</h2>
        <ReplyParts {...props} runs={runs} />
        {fallbacks !== undefined && <FallbackNotes fallbacks={fallbacks} />}
        {turn.isWrittenAnew === true && <WrittenAnew />}
        {isRunning && !isShowingProgress(last, turn) && <ReplyProgress pause={pause} />}
        {state === 'over' && <ReplyEndMark end={endOf(runs.at(-1), props)} />}
        {children}
      </div>
      {hasRecord && threadId !== undefined ? (
        <TurnChanges threadId={threadId} runIds={runIds}>
          <ReplyLine {...props} runs={runs} />
        </TurnChanges>
      ) : (
        <ReplyLine {...props} runs={runs} />
      )}
    </TurnRecordProvider>
  );
});

interface TurnPlaceProps {
  readonly ref?: RefObject<HTMLLIElement | null>;
  readonly isNewest: boolean;
  readonly children: ReactNode;
}

/** The list item of a turn. It remembers its height, whatever it contains. */
export function TurnPlace({ ref, isNewest, children }: TurnPlaceProps) {
  return (
    <li ref={ref} className={cn('grid min-w-0 gap-2.5', !isNewest && DRAWN_IN_VIEW)}>
      {children}
    </li>
  );
}

interface ReplyPartsProps
  extends Pick<TurnViewProps, 'turn' | 'state' | 'isNewest' | 'onAnswer' | 'waiting'> {
  readonly runs: readonly RunUsage[];
}

function ReplyParts({ turn, state, isNewest, onAnswer, waiting, runs }: ReplyPartsProps) {
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

/** Returns how the reply ended. For the newest reply, the notice with the retry button explains a failure. */
function endOf(run: RunUsage | undefined, { turn, isNewest }: TurnViewProps): ReplyEnd | undefined {
  if (!isNewest) return earlierReplyEnd(run, turn);
  const end = replyEnd(run, turn);
  return end?.kind === 'failed' ? undefined : end;
}

interface ReplyLineProps extends TurnViewProps {
  readonly runs: readonly RunUsage[];
}

/**
 * The buttons and notes below a reply. Below a question their height is reserved, so that buttons do not
 * move.
 */
function ReplyLine({ runs, ...props }: ReplyLineProps) {
  const { state } = props;
  return (
    <div
      className={cn(
        '-mt-0.5 -ml-2 flex min-w-0 flex-wrap items-center',
        state === 'waiting' ? 'min-h-6' : 'empty:hidden',
      )}
    >
      {state === 'over' && <ReplyActions {...props} />}
      <UsageNote runs={runs} />
    </div>
  );
}

function ReplyActions({ turn, canRegenerate, replyFork }: TurnViewProps) {
  const { threadId, regenerate } = useTurnActions();
  const { human } = turn;
  const rated = useReplyRating(turn.steps.map((step) => step.id));
  const reply = turn.steps
    .map((step) => step.text)
    .filter(Boolean)
    .join('\n\n');
  const hasReply = reply !== '';
  return (
    <>
      {hasReply && <CopyButton text={reply} label="Copy answer" />}
      {canRegenerate && human !== undefined && (
        <ReplyAgain mayRestore={mayChangeFiles(turn)} onAgain={(files) => regenerate(human.id, files)} />
      )}
      {threadId !== undefined && rated !== undefined && hasReply && (
        <ReplyRating threadId={threadId} reply={rated} />
      )}
      {threadId !== undefined && replyFork !== undefined && (
        <BranchSwitcher threadId={threadId} fork={replyFork} label="Versions of this answer" />
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

/** Whether something on the screen already shows progress. */
function isShowingProgress(step: AiView | undefined, turn: Turn): boolean {
  if (step === undefined) return false;
  if (step.calls.length > 0) return step.calls.some((call) => !turn.results.has(call.id));
  return step.text !== '' || step.reasoning !== '';
}
