// The turns of a conversation; only the last one is active.
import { useLocation } from '@tanstack/react-router';
import { ChevronRight } from 'lucide-react';
import { Collapsible } from 'radix-ui';
import { Fragment, useState } from 'react';
import type { Run } from '../api/shapes.ts';
import type { Fork } from '../conversation/branches.ts';
import { ReplyRecordProvider, useNewReplyRecord } from '../conversation/reply-record.ts';
import { innerNamespace, taskOf } from '../conversation/subagents.ts';
import { useTurnActions } from '../conversation/turn-actions.ts';
import { hasMessage, type Turn } from '../conversation/turns.ts';
import { type Branches, END } from '../conversation/use-branches.ts';
import type { Conversation } from '../conversation/use-conversation.ts';
import type { Waiting } from '../conversation/waiting.ts';
import { Markdown } from '../markdown/lazy-markdown.tsx';
import { usePrinting } from '../print/printing.tsx';
import { WaitingCard } from '../questions/waiting-card.tsx';
import { EarlierTurn } from './earlier-turn.tsx';
import { TurnPlace, TurnView } from './turn-view.tsx';

interface TurnListProps {
  readonly conversation: Conversation;
  readonly onAnswer: (text: string) => void;
  /** Allows a tool for the rest of the chat. */
  readonly onAlwaysAllow: (name: string) => void;
}

/** The number of last turns that more than fill a screen. */
const DRAWN_AT_ONCE = 6;

export function TurnList(props: TurnListProps) {
  const { turns, branches, summary, fallbacks } = props.conversation;
  const last = turns.at(-1);
  const { threadId } = useTurnActions();
  const replied = isBusy(props.conversation) ? undefined : `${last?.id} ${last?.steps.at(-1)?.id}`;
  const named = useLocation({ select: ({ hash }) => hash });
  return (
    <ReplyRecordProvider value={useNewReplyRecord(threadId, replied)}>
      <ol data-busy={isBusy(props.conversation)} className="group/turns grid min-w-0 gap-9">
        {turns.slice(0, -1).map((turn, index) => (
          <Fragment key={turn.id}>
            <EarlierTurn
              turn={turn}
              isDrawn={turns.length - index <= DRAWN_AT_ONCE || hasMessage(turn, named)}
              fallbacks={fallbacks.get(turn.id)}
              questionFork={questionForkOf(turn, branches)}
              replyFork={replyForkOf(turn, branches)}
            />
            {turn.id === summary?.turnId && <SummaryNote text={summary.text} />}
          </Fragment>
        ))}
        {last !== undefined && <LastTurn key={last.id} {...props} turn={last} />}
        {last !== undefined && last.id === summary?.turnId && <SummaryNote text={summary.text} />}
      </ol>
    </ReplyRecordProvider>
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
        replyFork={replyForkOf(turn, branches) ?? branches.forks.get(END)}
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

/** Returns undefined when the run belongs to a branch that is not shown. */
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

function replyForkOf({ steps }: Turn, { forks }: Branches): Fork | undefined {
  return steps.map((step) => forks.get(step.id)).find((it) => it !== undefined);
}

/** Returns the task of the sub-agent that asks: the outermost one, whose card is in the turn. */
function askingTaskIn({ steps }: Turn, waiting: Waiting): string | undefined {
  const [outermost] = waiting.kind === 'pause' ? [] : waiting.asker;
  const call = steps.flatMap(({ calls }) => calls).find(({ id }) => innerNamespace('', id) === outermost);
  return call === undefined ? undefined : taskOf(call);
}

function SummaryNote({ text }: { readonly text: string }) {
  const [isOpen, setOpen] = useState(false);
  const isPrinting = usePrinting();
  return (
    <li className="min-w-0">
      <Collapsible.Root open={isOpen || isPrinting} onOpenChange={setOpen}>
        <div className="flex items-center gap-3">
          <span aria-hidden className="h-px flex-1 bg-border" />
          <Collapsible.Trigger className="group flex items-center gap-1 rounded-md px-1 py-0.5 text-left text-[0.8125rem] text-muted-foreground hover:text-foreground">
            The agent reads a summary of earlier messages
            <ChevronRight
              aria-hidden
              className="size-3.5 shrink-0 transition-transform group-data-[state=open]:rotate-90"
            />
          </Collapsible.Trigger>
          <span aria-hidden className="h-px flex-1 bg-border" />
        </div>
        <Collapsible.Content>
          <div data-compact className="mt-3 border-l-2 border-border pl-4 text-muted-foreground">
            <Markdown text={text} isWriting={false} />
          </div>
        </Collapsible.Content>
      </Collapsible.Root>
    </li>
  );
}
