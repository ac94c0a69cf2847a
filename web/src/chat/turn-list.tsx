// The turns of a conversation; the last one is the one where something happens.
import { useLocation } from '@tanstack/react-router';
import { Fragment } from 'react';
import type { Run } from '../api/shapes.ts';
import type { Fork } from './checkpoint-tree.ts';
import { EarlierTurn } from './earlier-turn.tsx';
import { AnswerRecordProvider, useNewAnswerRecord } from './known-answers.ts';
import { innerNamespace, taskOf } from './subagent.ts';
import { SummaryLine } from './summary-line.tsx';
import { useTurnActions } from './turn-actions.ts';
import { TurnPlace, TurnView } from './turn-view.tsx';
import { hasMessage, type Turn } from './turns.ts';
import { type Branches, END } from './use-branches.ts';
import type { Conversation } from './use-conversation.ts';
import type { Waiting } from './waiting.ts';
import { WaitingCard } from './waiting-card.tsx';

interface TurnListProps {
  readonly conversation: Conversation;
  readonly onAnswer: (text: string) => void;
  /** Of a tool, for the rest of the chat. */
  readonly onAlwaysAllow: (name: string) => void;
}

/** So many turns of the end are more than a screen. */
const DRAWN_AT_ONCE = 6;

export function TurnList(props: TurnListProps) {
  const { turns, branches, summary, fallbacks } = props.conversation;
  const last = turns.at(-1);
  const { threadId } = useTurnActions();
  const answered = isBusy(props.conversation) ? undefined : `${last?.id} ${last?.steps.at(-1)?.id}`;
  const named = useLocation({ select: ({ hash }) => hash });
  return (
    <AnswerRecordProvider value={useNewAnswerRecord(threadId, answered)}>
      <ol data-busy={isBusy(props.conversation)} className="group/turns grid min-w-0 gap-9">
        {turns.slice(0, -1).map((turn, index) => (
          <Fragment key={turn.id}>
            <EarlierTurn
              turn={turn}
              isDrawn={turns.length - index <= DRAWN_AT_ONCE || hasMessage(turn, named)}
              fallbacks={fallbacks.get(turn.id)}
              questionFork={questionForkOf(turn, branches)}
              answerFork={answerForkOf(turn, branches)}
            />
            {turn.id === summary?.turnId && <SummaryLine text={summary.text} />}
          </Fragment>
        ))}
        {last !== undefined && <LastTurn key={last.id} {...props} turn={last} />}
        {last !== undefined && last.id === summary?.turnId && <SummaryLine text={summary.text} />}
      </ol>
    </AnswerRecordProvider>
  );
}

function LastTurn(props: TurnListProps & { readonly turn: Turn }) {
  const { turn, conversation, onAnswer, onAlwaysAllow } = props;
  const { branches, phase, problem, waiting } = conversation;
  const isOver = phase === 'idle' && problem === undefined && waiting === undefined;
  return (
    <TurnPlace isNewest>
      <TurnView
        turn={turn}
        state={stateOf(conversation)}
        isNewest
        canRegenerate={isOver}
        questionFork={questionForkOf(turn, branches)}
        answerFork={answerForkOf(turn, branches) ?? branches.forks.get(END)}
        onAnswer={isBusy(conversation) ? undefined : onAnswer}
        waiting={waiting}
        latestRun={runOfTurn(conversation)}
        fallbacks={conversation.fallbacks.get(turn.id)}
        pause={conversation.pause}
      >
        {waiting !== undefined && (
          <WaitingCard
            key={waiting.id}
            waiting={waiting}
            askingTask={askingTaskIn(turn, waiting)}
            isSending={isBusy(conversation)}
            onAnswer={conversation.answer}
            onAlwaysAllow={onAlwaysAllow}
            onProceed={conversation.proceed}
          />
        )}
      </TurnView>
    </TurnPlace>
  );
}

/** Not that of a branch which is not shown. */
function runOfTurn({ latestRun, branches }: Conversation): Run | undefined {
  return latestRun === undefined || branches.isElsewhere(latestRun.run_id) ? undefined : latestRun;
}

function isBusy({ phase }: Conversation): boolean {
  return phase === 'answering' || phase === 'stopping';
}

function stateOf(conversation: Conversation): 'running' | 'waiting' | 'over' {
  if (conversation.waiting !== undefined) return 'waiting';
  return isBusy(conversation) ? 'running' : 'over';
}

function questionForkOf({ human }: Turn, { forks }: Branches): Fork | undefined {
  return human === undefined ? undefined : forks.get(human.id);
}

function answerForkOf({ steps }: Turn, { forks }: Branches): Fork | undefined {
  return steps.map((step) => forks.get(step.id)).find((it) => it !== undefined);
}

/** The task of the sub-agent that asks: of the outermost one, whose card is in the turn. */
function askingTaskIn({ steps }: Turn, waiting: Waiting): string | undefined {
  const [outermost] = waiting.kind === 'pause' ? [] : waiting.asker;
  const call = steps.flatMap(({ calls }) => calls).find(({ id }) => innerNamespace('', id) === outermost);
  return call === undefined ? undefined : taskOf(call);
}
