// A conversation on the screen: its turns, its notices, and the box to write in.
import { ArrowDown } from 'lucide-react';
import { type RefObject, useEffect, useRef } from 'react';
import { useConnectionState } from '../services.tsx';
import { Button } from '../ui/button.tsx';
import { ChatHeader } from './chat-header.tsx';
import { Composer } from './composer.tsx';
import { ConversationNotices } from './conversation-notices.tsx';
import { MissingThread, OpeningThread, Welcome } from './conversation-states.tsx';
import { TurnActionsProvider, useStableTurnActions } from './turn-actions.ts';
import { TurnList } from './turn-list.tsx';
import { type Conversation, useConversation } from './use-conversation.ts';
import { useDraft } from './use-draft.ts';
import { useRunOptions } from './use-run-options.ts';
import { useStickToBottom } from './use-stick-to-bottom.ts';
import { SubagentProgressProvider } from './use-task-progress.ts';

interface ConversationViewProps {
  readonly threadId: string | undefined;
  readonly onBorn: (threadId: string) => void;
  /** Opens the conversation anew, from what the service has. */
  readonly onReload: () => void;
  /** The fork from which the conversation was opened anew; kept for as long as the page. */
  readonly arrival: RefObject<string | undefined>;
}

export function ConversationView({ threadId, onBorn, onReload, arrival }: ConversationViewProps) {
  const conversation = useConversation({ threadId, onBorn, onReload });
  const choice = useRunOptions();
  const [draft, setDraft] = useDraft(threadId);
  const composer = useRef<HTMLTextAreaElement>(null);
  const isEmpty = conversation.turns.length === 0;
  const stick = useStickToBottom(!isEmpty);
  useReloadWhenBack(conversation, onReload);
  useReloadWhenAnsweredElsewhere(conversation, onReload);
  const turnActions = useStableTurnActions({
    threadId,
    edit: (messageId, text) => {
      conversation.edit(messageId, text, choice.options);
      stick.toBottom();
    },
    regenerate: (messageId) => conversation.regenerate(messageId, choice.options),
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

  const send = (text: string) => {
    conversation.send(text, choice.options);
    setDraft('');
    stick.toBottom();
  };
  const suggest = (text: string) => {
    setDraft(text);
    composer.current?.focus();
  };

  if (conversation.problem?.kind === 'missing' && isEmpty)
    return (
      <>
        <ChatHeader threadId={undefined} title={undefined} />
        <MissingThread />
      </>
    );
  return (
    <>
      <ChatHeader threadId={threadId} title={conversation.title} />
      <div className="relative min-h-0 flex-1">
        <section
          ref={stick.scroller}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
          tabIndex={0}
          aria-label="Conversation"
          className="h-full overflow-y-auto overscroll-contain focus-visible:-outline-offset-2"
        >
          <div
            ref={stick.content}
            className="mx-auto flex min-h-full w-full max-w-3xl flex-col px-4 pt-6 pb-8 sm:px-6"
          >
            <TurnActionsProvider value={turnActions}>
              {isEmpty && conversation.phase === 'opening' && <OpeningThread />}
              {isEmpty && conversation.phase !== 'opening' && (
                <Welcome isDemo={choice.model?.name === 'demo'} onSuggest={suggest} />
              )}
              <SubagentProgressProvider value={conversation.subagents}>
                {!isEmpty && (
                  <TurnList conversation={conversation} options={choice.options} onAnswer={send} />
                )}
              </SubagentProgressProvider>
            </TurnActionsProvider>
          </div>
        </section>
        {!stick.isAtBottom && !isEmpty && (
          <Button
            look="secondary"
            size="small"
            onClick={stick.toBottom}
            className="absolute bottom-3 left-1/2 -translate-x-1/2 animate-fade rounded-full shadow-float"
          >
            <ArrowDown aria-hidden />
            Jump to latest
          </Button>
        )}
      </div>
      <div className="shrink-0 px-3 pb-[max(0.75rem,env(safe-area-inset-bottom))] sm:px-6 sm:pb-5">
        <div className="mx-auto grid w-full max-w-3xl gap-2.5">
          <ConversationNotices
            conversation={conversation}
            onRetry={() => conversation.retry(choice.options)}
          />
          <Composer
            ref={composer}
            draft={draft}
            onDraft={setDraft}
            onSend={send}
            onStop={conversation.stop}
            phase={conversation.phase}
            choice={choice}
          />
        </div>
      </div>
      <p role="status" className="sr-only">
        {statusText(conversation)}
      </p>
    </>
  );
}

/** For people who do not see the words appear. */
function statusText({ phase, turns, waiting }: Conversation): string {
  if (phase === 'answering') return 'The agent is answering.';
  if (phase !== 'idle' || turns.length === 0) return '';
  return waiting === undefined ? 'The answer is complete.' : 'The agent waits for you.';
}

/** A question that another tab or program answered is none any more. */
function useReloadWhenAnsweredElsewhere(
  { waiting, phase, latestRun }: Conversation,
  onReload: () => void,
): void {
  const asking = useRef<string>(undefined);
  const isAsking = waiting !== undefined && phase === 'idle';
  const runId = latestRun?.run_id;
  useEffect(() => {
    const before = asking.current;
    asking.current = isAsking ? (runId ?? before) : undefined;
    if (isAsking && before !== undefined && runId !== undefined && runId !== before) onReload();
  }, [isAsking, runId, onReload]);
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
