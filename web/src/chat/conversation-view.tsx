// A conversation on the screen: its turns, its notices, and the composer.
import { type RefObject, useEffect, useRef, useState } from 'react';
import { useUserId } from '../auth/session.ts';
import { mayChangeFiles } from '../changes/turn-record.ts';
import { Composer } from '../composer/composer.tsx';
import { GoalPanel, PlanPanel } from '../composer/panels.tsx';
import { type Attachments, useAttachments } from '../composer/use-attachments.ts';
import { useChatAgent } from '../composer/use-chat-agent.ts';
import { useDraft } from '../composer/use-draft.ts';
import { useGoal } from '../composer/use-goal.ts';
import { useRunOptions } from '../composer/use-run-options.ts';
import { useSending, useTakenBack } from '../composer/use-sending.ts';
import { endText } from '../conversation/reply-end.ts';
import type { Seen } from '../conversation/seen-turn-reader.ts';
import { TurnActionsProvider, useStableTurnActions } from '../conversation/turn-actions.ts';
import { type Conversation, useConversation } from '../conversation/use-conversation.ts';
import { createFilePanel, FilePanelProvider } from '../files/file-panel.ts';
import { FilePanelFrame } from '../files/file-panel-frame.tsx';
import { useOpenPresented } from '../files/presented.ts';
import { PrintingProvider } from '../print/printing.tsx';
import { AllowedToolsNote, useAllowedTools, useAutomaticApproval } from '../questions/allowed-tools.tsx';
import { useConnectionState } from '../services/services.tsx';
import { DropOverlay, useFileDrop } from '../ui/file-drop.tsx';
import { ChatHeader } from './chat-header.tsx';
import { ConversationBody } from './conversation-body.tsx';
import { ConversationNotices } from './conversation-notices.tsx';
import { MissingThread } from './conversation-states.tsx';
import { useShownMessage, useStickToBottom } from './scrolling.ts';
import { UsageButton } from './usage-button.tsx';

interface ConversationViewProps {
  readonly threadId: string | undefined;
  readonly onThreadCreated: (threadId: string) => void;
  /** Reopens the conversation from the state at the service. */
  readonly onReload: () => void;
  /** The fork from which the conversation was reopened. It lives as long as the page. */
  readonly arrival: RefObject<string | undefined>;
  /** The part of a reply that was shown. It lives as long as the page. */
  readonly seen: RefObject<Seen | undefined>;
}

export function ConversationView(props: ConversationViewProps) {
  const { threadId, onThreadCreated, onReload, arrival, seen } = props;
  const chatAgent = useChatAgent(threadId);
  const conversation = useConversation({ agent: chatAgent.name, threadId, onThreadCreated, onReload, seen });
  const choice = useRunOptions(chatAgent, lastModelOf(conversation));
  const goal = useGoal({ threadId, onThreadCreated, goal: conversation.goal });
  const [panel] = useState(createFilePanel);
  const userId = useUserId();
  const allowedTools = useAllowedTools(userId, threadId);
  useAutomaticApproval(conversation, allowedTools);
  const draft = useDraft(userId, threadId);
  const attachments = useAttachments({ threadId, onThreadCreated });
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
              <AllowedToolsNote {...allowedTools} />
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

/**
 * Forgets the fork when the person acts, so that the focus is not stolen: the versions are known a moment
 * after the conversation, and the person may be elsewhere by then.
 */
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

/** Returns what a new message does to the open question, which it supersedes. */
function consequenceOfSending({ waiting, phase }: Conversation): string | undefined {
  if (phase !== 'idle') return undefined;
  if (waiting?.kind === 'approval') return 'Sending a message declines this request.';
  const isAsked = waiting?.kind === 'question' || waiting?.kind === 'form';
  return isAsked ? 'Sending a message skips this question.' : undefined;
}

/** Returns a text that changes whenever files may have been added, changed or removed. */
function versionOf({ turns, phase }: Conversation, { list }: Attachments): string {
  const results = turns.at(-1)?.results.size ?? 0;
  const arrived = list.filter(({ state }) => state.kind === 'done').length;
  return [turns.length, results, phase, arrived].join(' ');
}

/** Returns the status for screen readers. */
function statusText({ unread, ...conversation }: Conversation): string {
  if (unread.some(({ state }) => state.kind === 'waiting'))
    return 'Your message will be sent when you are back online.';
  return replyText(conversation);
}

function replyText({ phase, turns, waiting, problem, end }: Omit<Conversation, 'unread'>): string {
  if (phase === 'answering') return 'The agent is answering.';
  if (phase !== 'idle' || turns.length === 0) return '';
  if (waiting !== undefined) return 'The agent is waiting for you.';
  if (problem?.kind === 'connection') return 'The connection was lost before the answer was complete.';
  // The sentence of a failure is announced by the notice that shows it.
  if (problem?.kind === 'failed') return 'The answer failed.';
  return end === undefined ? '' : endText(end);
}

/** Returns the model that was requested last, even if a fallback replied. */
function lastModelOf({ turns, fallbacks }: Conversation): string | undefined {
  const turn = turns.findLast(({ steps }) => steps.some(({ model }) => model !== undefined));
  const model = turn?.steps.findLast((step) => step.model !== undefined)?.model;
  return fallbacks.get(turn?.id ?? '')?.find(({ to }) => to === model)?.from ?? model;
}

/** Reloads a conversation whose stream broke with the connection, once the service can be reached again. */
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
