// The messages of a conversation in a region that scrolls.
import { ArrowDown } from 'lucide-react';
import { useState } from 'react';
import type { RunOptionsChoice } from '../composer/use-run-options.ts';
import { CommandOutputProvider, SubagentProgressProvider } from '../conversation/run-progress.ts';
import type { Unread } from '../conversation/unread.ts';
import type { Conversation } from '../conversation/use-conversation.ts';
import { createNearness, NearnessProvider } from '../turns/nearness.ts';
import { NextMessages } from '../turns/next-messages.tsx';
import { TurnList } from '../turns/turn-list.tsx';
import { UnreadMessages } from '../turns/unread-messages.tsx';
import { Button } from '../ui/button.tsx';
import { OpeningThread, Welcome } from './conversation-states.tsx';
import type { StickToBottom } from './scrolling.ts';

interface ConversationBodyProps {
  readonly threadId: string | undefined;
  readonly conversation: Conversation;
  readonly stick: StickToBottom;
  readonly choice: RunOptionsChoice;
  readonly onAnswer: (text: string) => void;
  /** Allows a tool for the rest of the chat. */
  readonly onAlwaysAllow: (name: string) => void;
  readonly onSuggest: (text: string) => void;
  readonly onTakeBack: (unread: Unread) => void;
  readonly onDiscard: (unread: Unread) => void;
}

export function ConversationBody(props: ConversationBodyProps) {
  const { threadId, conversation, stick, choice, onAnswer, onAlwaysAllow, onSuggest, onTakeBack, onDiscard } =
    props;
  const isEmpty = conversation.turns.length === 0 && conversation.unread.length === 0;
  const [nearness] = useState(() => createNearness(stick.scroller));
  return (
    <>
      <section
        ref={stick.scroller}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
        tabIndex={0}
        aria-label="Conversation"
        className="relative h-full overflow-y-auto overscroll-contain focus-visible:-outline-offset-2"
      >
        <div
          ref={stick.content}
          className="mx-auto flex min-h-full w-full max-w-3xl flex-col px-4 pt-6 pb-8 sm:px-6"
        >
          {isEmpty && conversation.phase === 'opening' && <OpeningThread />}
          {isEmpty && conversation.phase !== 'opening' && (
            <Welcome isDemo={choice.model?.name === 'demo'} onSuggest={onSuggest} />
          )}
          <SubagentProgressProvider value={conversation.subagents}>
            <CommandOutputProvider value={conversation.commands}>
              {conversation.turns.length > 0 && (
                <NearnessProvider value={nearness}>
                  <TurnList conversation={conversation} onAnswer={onAnswer} onAlwaysAllow={onAlwaysAllow} />
                </NearnessProvider>
              )}
            </CommandOutputProvider>
          </SubagentProgressProvider>
          <NextMessages
            threadId={threadId}
            conversation={conversation}
            isDemo={choice.model?.name === 'demo'}
            onSuggest={onSuggest}
          />
          <UnreadMessages unread={conversation.unread} onTakeBack={onTakeBack} onDiscard={onDiscard} />
        </div>
      </section>
      {!stick.isAtBottom && !isEmpty && (
        <Button
          variant="secondary"
          size="small"
          onClick={stick.toBottom}
          className="absolute bottom-3 left-1/2 -translate-x-1/2 animate-fade rounded-full shadow-float"
        >
          <ArrowDown aria-hidden />
          Jump to latest
        </Button>
      )}
    </>
  );
}
