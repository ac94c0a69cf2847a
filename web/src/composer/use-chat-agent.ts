// The agent and the model of a chat. They are stored with the chat, so that every device shows the same.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useAgents } from '../agents/agent-queries.ts';
import { ASSISTANT_ID, type CustomAgent } from '../api/agent-calls.ts';
import { useServices } from '../services/services.tsx';
import { choiceQuery } from '../threads/thread-queries.ts';

export interface ChatAgent {
  readonly name: string;
  /** Undefined for the default agent, and for a deleted one. */
  readonly agent: CustomAgent | undefined;
  /** False while the choice of an opened chat is being loaded. */
  readonly isKnown: boolean;
  readonly agents: readonly CustomAgent[];
  readonly choose: (name: string) => void;
  /** The model that was chosen in this chat, on any device. */
  readonly model: string | undefined;
  /** Does nothing in a new chat, whose first run records the model. */
  readonly keepModel: (name: string) => void;
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
  // A choice holds until another agent has replied.
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
