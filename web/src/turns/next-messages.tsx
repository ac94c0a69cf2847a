// Suggestions for the next message, below the reply that has just ended.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Conversation } from '../conversation/use-conversation.ts';
import { useServices } from '../services/services.tsx';

interface NextMessagesProps {
  readonly threadId: string | undefined;
  readonly conversation: Conversation;
  /** The built-in model follows fixed rules and suggests nothing. */
  readonly isDemo: boolean;
  readonly onSuggest: (text: string) => void;
}

/**
 * Fetches suggestions only when a reply ends while the person watches: opening an old chat costs no model
 * call.
 */
export function NextMessages({ threadId, conversation, isDemo, onSuggest }: NextMessagesProps) {
  const { api } = useServices();
  const [wasReplying, setWasReplying] = useState(false);
  const { phase, turns, end, waiting, unread } = conversation;
  if (phase === 'answering' && !wasReplying) setWasReplying(true);
  const isOver = phase === 'idle' && end?.kind === 'complete' && waiting === undefined && unread.length === 0;
  const isWanted = wasReplying && isOver && !isDemo;
  const config = useQuery({
    queryKey: ['suggestions'],
    queryFn: () => api.suggestionsConfig(),
    enabled: isWanted,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const replied = turns.at(-1)?.steps.at(-1)?.id;
  const { data = [] } = useQuery({
    queryKey: ['suggestions', threadId, replied],
    queryFn: () => (threadId === undefined ? [] : api.suggestions(threadId)),
    enabled: isWanted && threadId !== undefined && config.data?.enabled === true,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  if (!isWanted || data.length === 0) return null;
  return (
    <ul aria-label="Suggested messages" className="flex animate-fade flex-wrap gap-2 pt-4 print:hidden">
      {data.map((text) => (
        <li key={text} className="max-w-full">
          <button
            type="button"
            dir="auto"
            onClick={() => onSuggest(text)}
            className="min-h-9 max-w-full rounded-2xl border border-border bg-surface px-3.5 py-1.5 text-left text-sm wrap-anywhere text-muted-foreground shadow-xs transition-colors hover:border-input hover:bg-accent hover:text-foreground pointer-coarse:min-h-11"
          >
            {text}
          </button>
        </li>
      ))}
    </ul>
  );
}
