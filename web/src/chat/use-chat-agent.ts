// Which agent answers in a chat, and with which model: the chat keeps both, so every device shows the same.
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useAgents } from '../agents/agent-queries.ts';
import type { CustomAgent } from '../api/agent-calls.ts';
import type { Api } from '../api/api.ts';
import { useServices } from '../services.tsx';
import { ASSISTANT_ID } from './agent-client.ts';

export interface ChatAgent {
  readonly name: string;
  /** Undefined for the agent of the service, and for one that is gone. */
  readonly agent: CustomAgent | undefined;
  /** False while a chat that was opened is asked what it keeps. */
  readonly isKnown: boolean;
  readonly agents: readonly CustomAgent[];
  readonly choose: (name: string) => void;
  /** The model that was chosen in this chat, on whichever device. */
  readonly model: string | undefined;
  /** Does nothing in a new chat: its first answer says which model it was. */
  readonly keepModel: (name: string) => void;
}

/** The queries of what chats keep. */
export const CHAT_CHOICES = ['chat-choice'] as const;

export function choiceOf(threadId: string | undefined) {
  return [...CHAT_CHOICES, threadId] as const;
}

/** What a chat keeps of who answers in it: asked for again when something happens in the chat. */
function choiceQuery(api: Api, threadId: string | undefined) {
  return queryOptions({
    queryKey: choiceOf(threadId),
    queryFn: () => api.chatChoice(threadId ?? ''),
    enabled: threadId !== undefined,
    // A new chat is not there before its first message.
    retry: false,
  });
}

export function useChatAgent(threadId: string | undefined): ChatAgent {
  const { api } = useServices();
  const queryClient = useQueryClient();
  const agents = useAgents().data?.agents ?? [];
  const query = choiceQuery(api, threadId);
  const { data: kept, isPending } = useQuery(query);
  const [isMadeHere] = useState(threadId === undefined);
  const [chosen, setChosen] = useState<string>();
  const [chosenAfter, setChosenAfter] = useState<string>();
  // A choice holds until another agent has answered.
  if (kept !== undefined && chosenAfter !== kept.assistant_id) {
    setChosenAfter(kept.assistant_id);
    if (chosenAfter !== undefined) setChosen(undefined);
  }
  const name = chosen ?? kept?.assistant_id ?? ASSISTANT_ID;
  const keepModel = async (id: string, model: string) => {
    queryClient.setQueryData(query.queryKey, { ...kept, model_name: model });
    try {
      await api.keepModel(id, model);
    } finally {
      await queryClient.invalidateQueries({ queryKey: query.queryKey });
    }
  };
  return {
    name,
    agent: agents.find((it) => it.name === name),
    isKnown: isMadeHere || chosen !== undefined || !isPending,
    agents,
    choose: setChosen,
    model: kept?.model_name,
    keepModel: (model) => {
      if (threadId !== undefined) keepModel(threadId, model).catch(reportError);
    },
  };
}
