// A conversation on the screen: its turns, its notices, and the box to write in.
import { type RefObject, useEffect, useRef, useState } from 'react';
import { mayChangeFiles } from '../changes/may-change-files.ts';
import { DropOverlay } from '../files/drop-overlay.tsx';
import { createFilePanel, FilePanelProvider } from '../files/file-panel.ts';
import { FilePanelFrame } from '../files/file-panel-frame.tsx';
import { type SentFile, toSentFile } from '../files/sent-file.ts';
import { type Attachments, useAttachments } from '../files/use-attachments.ts';
import { useFileDrop } from '../files/use-file-drop.ts';
import { useConnectionState } from '../services.tsx';
import { ChatHeader } from './chat-header.tsx';
import { Composer } from './composer.tsx';
import { ConversationBody } from './conversation-body.tsx';
import { ConversationNotices } from './conversation-notices.tsx';
import { MissingThread } from './conversation-states.tsx';
import { TurnActionsProvider, useStableTurnActions } from './turn-actions.ts';
import { type Conversation, useConversation } from './use-conversation.ts';
import { useDraft } from './use-draft.ts';
import { useRunOptions } from './use-run-options.ts';
import { useShownMessage } from './use-shown-message.ts';
import { useStickToBottom } from './use-stick-to-bottom.ts';

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
  const [panel] = useState(createFilePanel);
  const [draft, setDraft] = useDraft(threadId);
  const attachments = useAttachments({ threadId, onBorn });
  const isDropping = useFileDrop(attachments.add);
  const composer = useRef<HTMLTextAreaElement>(null);
  const isEmpty = conversation.turns.length === 0;
  const stick = useStickToBottom(!isEmpty);
  useShownMessage(conversation, stick);
  useReloadWhenBack(conversation, onReload);
  useReloadWhenAnsweredElsewhere(conversation, onReload);
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

  const send = (text: string, files: readonly SentFile[] = []) => {
    conversation.send({ text, files }, choice.options);
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
    <FilePanelProvider value={panel}>
      <div className="flex min-h-0 flex-1">
        <div className="flex min-w-0 flex-1 flex-col">
          <ChatHeader threadId={threadId} title={conversation.title} />
          <div className="relative min-h-0 flex-1">
            <TurnActionsProvider value={turnActions}>
              <ConversationBody
                conversation={conversation}
                stick={stick}
                choice={choice}
                onAnswer={(text) => send(text)}
                onSuggest={suggest}
              />
            </TurnActionsProvider>
            {isDropping && <DropOverlay />}
          </div>
          <div className="shrink-0 px-3 pb-[max(0.75rem,env(safe-area-inset-bottom))] sm:px-6 sm:pb-5">
            <div className="mx-auto grid w-full max-w-3xl gap-2.5">
              <ConversationNotices
                threadId={threadId}
                conversation={conversation}
                onRetry={() => conversation.retry(choice.options)}
              />
              <Composer
                ref={composer}
                draft={draft}
                onDraft={setDraft}
                onSend={(text) => send(text, attachments.take().map(toSentFile))}
                attachments={attachments}
                onStop={conversation.stop}
                phase={conversation.phase}
                choice={choice}
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

/** Another one whenever files may have come, changed or gone. */
function versionOf({ turns, phase }: Conversation, { list }: Attachments): string {
  const results = turns.at(-1)?.results.size ?? 0;
  const arrived = list.filter(({ state }) => state.kind === 'done').length;
  return [turns.length, results, phase, arrived].join(' ');
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
