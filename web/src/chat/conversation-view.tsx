// A conversation on the screen: its turns, its notices, and the box to write in.
import { type RefObject, useEffect, useRef, useState } from 'react';
import { useUserId } from '../auth/session.ts';
import { mayChangeFiles } from '../changes/may-change-files.ts';
import { DropOverlay } from '../files/drop-overlay.tsx';
import { createFilePanel, FilePanelProvider } from '../files/file-panel.ts';
import { FilePanelFrame } from '../files/file-panel-frame.tsx';
import { type Attachments, useAttachments } from '../files/use-attachments.ts';
import { useFileDrop } from '../files/use-file-drop.ts';
import { useOpenPresented } from '../files/use-open-presented.ts';
import { PrintingProvider } from '../print/printing.tsx';
import { useConnectionState } from '../services.tsx';
import { AllowedToolsLine } from './allowed-tools-line.tsx';
import { endText } from './answer-end.ts';
import { ChatHeader } from './chat-header.tsx';
import { Composer } from './composer.tsx';
import { ConversationBody } from './conversation-body.tsx';
import { ConversationNotices } from './conversation-notices.tsx';
import { MissingThread } from './conversation-states.tsx';
import { GoalPanel } from './goal-panel.tsx';
import { PlanPanel } from './plan-panel.tsx';
import type { Seen } from './seen-turn-reader.ts';
import { TurnActionsProvider, useStableTurnActions } from './turn-actions.ts';
import { UsageButton } from './usage-button.tsx';
import { useAllowedTools } from './use-allowed-tools.ts';
import { useChatAgent } from './use-chat-agent.ts';
import { type Conversation, useConversation } from './use-conversation.ts';
import { useDraft } from './use-draft.ts';
import { useGoal } from './use-goal.ts';
import { useRunOptions } from './use-run-options.ts';
import { useSending } from './use-sending.ts';
import { useShownMessage } from './use-shown-message.ts';
import { useStandingAnswer } from './use-standing-answer.ts';
import { useStickToBottom } from './use-stick-to-bottom.ts';
import { useTakenBack } from './use-taken-back.ts';

interface ConversationViewProps {
  readonly threadId: string | undefined;
  readonly onBorn: (threadId: string) => void;
  /** Opens the conversation anew, from what the service has. */
  readonly onReload: () => void;
  /** The fork from which the conversation was opened anew; kept for as long as the page. */
  readonly arrival: RefObject<string | undefined>;
  /** What was seen of an answer; kept for as long as the page. */
  readonly seen: RefObject<Seen | undefined>;
}

export function ConversationView(props: ConversationViewProps) {
  const { threadId, onBorn, onReload, arrival, seen } = props;
  const chatAgent = useChatAgent(threadId);
  const conversation = useConversation({ agent: chatAgent.name, threadId, onBorn, onReload, seen });
  const choice = useRunOptions(chatAgent, lastModelOf(conversation));
  const goal = useGoal({ threadId, onBorn, goal: conversation.goal });
  const [panel] = useState(createFilePanel);
  const userId = useUserId();
  const allowedTools = useAllowedTools(userId, threadId);
  useStandingAnswer(conversation, allowedTools);
  const draft = useDraft(userId, threadId);
  const attachments = useAttachments({ threadId, onBorn });
  const isDropping = useFileDrop(attachments.add);
  const composer = useRef<HTMLTextAreaElement>(null);
  const isEmpty = conversation.turns.length === 0 && conversation.unread.length === 0;
  const stick = useStickToBottom(!isEmpty);
  useShownMessage(conversation, stick);
  useOpenPresented(conversation, panel);
  useReloadWhenBack(conversation, onReload);
  useForgottenArrival(arrival);
  const turnActions = useStableTurnActions({
    threadId,
    edit: (change) => {
      conversation.edit(change, choice.options);
      stick.toBottom();
    },
    regenerate: (messageId, files) => conversation.regenerate({ messageId, files }, choice.options),
    mayHaveChangedFiles: (messageId) => {
      const { turns } = conversation;
      return turns.slice(turns.findIndex(({ human }) => human?.id === messageId)).some(mayChangeFiles);
    },
    reload: (forkId) => {
      arrival.current = forkId;
      onReload();
    },
    isArrival: (forkId) => {
      if (arrival.current !== forkId) return false;
      arrival.current = undefined;
      return true;
    },
  });

  const takenBack = useTakenBack({ conversation, threadId, userId, draft, attachments });

  const send = useSending({
    isKnown: chatAgent.isKnown,
    takeFiles: attachments.take,
    clearBox: () => draft.change(''),
    send: (text, files) => {
      conversation.send({ text, files }, choice.options);
      takenBack.forgetProblem();
      stick.toBottom();
    },
  });
  const say = (text: string) => send({ text, kind: 'said' });
  const suggest = (text: string) => {
    draft.change(text);
    composer.current?.focus();
  };

  if (conversation.problem?.kind === 'missing' && isEmpty)
    return (
      <>
        <ChatHeader threadId={undefined} title="Not found" />
        <MissingThread />
      </>
    );
  return (
    <FilePanelProvider value={panel}>
      <div className="flex min-h-0 flex-1">
        <div className="flex min-w-0 flex-1 flex-col">
          <ChatHeader threadId={threadId} title={conversation.title}>
            <UsageButton threadId={threadId} conversation={conversation} />
          </ChatHeader>
          <div className="relative min-h-0 flex-1">
            <TurnActionsProvider value={turnActions}>
              <PrintingProvider>
                <ConversationBody
                  threadId={threadId}
                  conversation={conversation}
                  stick={stick}
                  choice={choice}
                  onAnswer={say}
                  onAlwaysAllow={allowedTools.allow}
                  onSuggest={suggest}
                  onTakeBack={(unread) => {
                    takenBack.take(unread);
                    composer.current?.focus();
                  }}
                  onDiscard={(unread) => {
                    takenBack.discard(unread);
                    composer.current?.focus();
                  }}
                />
              </PrintingProvider>
            </TurnActionsProvider>
            {isDropping && <DropOverlay>Drop the files to add them to your message</DropOverlay>}
          </div>
          <div className="shrink-0 px-3 print:hidden pb-[max(0.75rem,env(safe-area-inset-bottom))] sm:px-6 sm:pb-5">
            <div className="mx-auto grid w-full max-w-3xl gap-2.5">
              <ConversationNotices
                threadId={threadId}
                conversation={conversation}
                onRetry={() => conversation.retry(choice.options)}
                onSay={say}
                unsent={takenBack.problem}
              />
              <GoalPanel
                control={goal}
                phase={conversation.phase}
                lastTurn={conversation.turns.at(-1)}
                onSay={say}
              />
              <PlanPanel plan={conversation.plan} lastTurn={conversation.turns.at(-1)} />
              <AllowedToolsLine {...allowedTools} />
              <Composer
                ref={composer}
                draft={draft}
                onSend={(text) => send({ text, kind: 'written' })}
                attachments={attachments}
                onStop={conversation.stop}
                phase={conversation.phase}
                consequence={consequenceOfSending(conversation)}
                choice={choice}
                goal={goal}
              />
            </div>
          </div>
        </div>
        <FilePanelFrame threadId={threadId} version={versionOf(conversation, attachments)} />
      </div>
      <p role="status" className="sr-only">
        {statusText(conversation)}
      </p>
    </FilePanelProvider>
  );
}

/** Whoever does something else meanwhile keeps the focus: the versions are known a moment after the conversation. */
function useForgottenArrival(arrival: RefObject<string | undefined>): void {
  useEffect(() => {
    const forget = () => {
      arrival.current = undefined;
    };
    addEventListener('keydown', forget, { capture: true });
    addEventListener('pointerdown', forget, { capture: true });
    return () => {
      removeEventListener('keydown', forget, { capture: true });
      removeEventListener('pointerdown', forget, { capture: true });
    };
  }, [arrival]);
}

/** A message goes before what the agent asked, and nobody is asked again. */
function consequenceOfSending({ waiting, phase }: Conversation): string | undefined {
  if (phase !== 'idle') return undefined;
  if (waiting?.kind === 'approval') return 'Sending a message declines this request.';
  const isAsked = waiting?.kind === 'question' || waiting?.kind === 'form';
  return isAsked ? 'Sending a message skips this question.' : undefined;
}

/** Another one whenever files may have come, changed or gone. */
function versionOf({ turns, phase }: Conversation, { list }: Attachments): string {
  const results = turns.at(-1)?.results.size ?? 0;
  const arrived = list.filter(({ state }) => state.kind === 'done').length;
  return [turns.length, results, phase, arrived].join(' ');
}

/** For people who do not see the words appear. */
function statusText({ unread, ...conversation }: Conversation): string {
  if (unread.some(({ state }) => state.kind === 'waiting'))
    return 'Your message will be sent when you are back online.';
  return answerText(conversation);
}

function answerText({ phase, turns, waiting, problem, end }: Omit<Conversation, 'unread'>): string {
  if (phase === 'answering') return 'The agent is answering.';
  if (phase !== 'idle' || turns.length === 0) return '';
  if (waiting !== undefined) return 'The agent is waiting for you.';
  if (problem?.kind === 'connection') return 'The connection was lost before the answer was complete.';
  // The sentence of a failure is announced where it is shown.
  if (problem?.kind === 'failed') return 'The answer failed.';
  return end === undefined ? '' : endText(end);
}

/** The model that was asked last, also where another one answered in its place. */
function lastModelOf({ turns, fallbacks }: Conversation): string | undefined {
  const turn = turns.findLast(({ steps }) => steps.some(({ model }) => model !== undefined));
  const model = turn?.steps.findLast((step) => step.model !== undefined)?.model;
  return fallbacks.get(turn?.id ?? '')?.find(({ to }) => to === model)?.from ?? model;
}

/** A stream that broke with the connection is read again when the service answers again. */
function useReloadWhenBack(conversation: Conversation, onReload: () => void): void {
  const connection = useConnectionState();
  const wasLost = useRef(false);
  const isBroken = conversation.problem?.kind === 'connection';
  useEffect(() => {
    if (connection === 'lost') wasLost.current = true;
    if (connection !== 'online' || !wasLost.current || !isBroken) return;
    wasLost.current = false;
    onReload();
  }, [connection, isBroken, onReload]);
}
