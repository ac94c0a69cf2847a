// The agent and model of the next run. They are those of the chat; in a new chat, the model is the last one
// chosen in this browser. Thinking and planning are as last chosen in this browser.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ASSISTANT_ID } from '../api/agent-calls.ts';
import type { Model } from '../api/shapes.ts';
import type { RunOptions } from '../conversation/submission.ts';
import { useServices } from '../services/services.tsx';
import type { ChatAgent } from './use-chat-agent.ts';

export interface RunOptionsChoice {
  readonly chatAgent: ChatAgent;
  /** True when the agent determines the model. */
  readonly isModelFixed: boolean;
  readonly options: RunOptions;
  readonly models: readonly Model[];
  readonly model: Model | undefined;
  readonly isThinking: boolean;
  readonly isPlanning: boolean;
  readonly chooseModel: (name: string) => void;
  readonly setThinking: (on: boolean) => void;
  readonly setPlanning: (on: boolean) => void;
}

const MODEL_KEY = 'model';
const THINKING_KEY = 'thinking';
const PLANNING_KEY = 'planning';

/** `lastModel` wrote the last reply of this chat. */
export function useRunOptions(chatAgent: ChatAgent, lastModel: string | undefined): RunOptionsChoice {
  const { api } = useServices();
  const models = useQuery({ queryKey: ['models'], queryFn: () => api.models() }).data ?? [];
  const [remembered] = useState(() => read(MODEL_KEY));
  const [chosen, setChosen] = useState<string>();
  const [chosenAfter, setChosenAfter] = useState(lastModel);
  // A choice holds until another model has replied.
  if (chosenAfter !== lastModel) {
    setChosenAfter(lastModel);
    setChosen(undefined);
  }
  const [thinking, setThinkingState] = useState(() => read(THINKING_KEY) !== 'off');
  const [isPlanning, setPlanningState] = useState(() => read(PLANNING_KEY) === 'on');
  const ofAgent = chatAgent.agent?.model ?? undefined;
  const named = [ofAgent, chosen, chatAgent.model, lastModel, remembered].map((name) =>
    models.find((it) => it.name === name),
  );
  const model = named.find((it) => it !== undefined) ?? models[0];
  // An agent that is not loaded yet may determine its model.
  const takesModel = chatAgent.name === ASSISTANT_ID || chatAgent.agent?.model === null;
  const isThinking = thinking && model?.supports_thinking === true;
  return {
    chatAgent,
    isModelFixed: ofAgent !== undefined,
    models,
    model,
    isThinking,
    isPlanning,
    options: {
      ...(chatAgent.name === ASSISTANT_ID ? {} : { agent: chatAgent.name }),
      ...(model === undefined || !takesModel ? {} : { model_name: model.name }),
      ...(model?.supports_thinking === true ? { thinking_enabled: thinking } : {}),
      ...(isPlanning ? { is_plan_mode: true } : {}),
    },
    chooseModel: (next) => {
      write(MODEL_KEY, next);
      setChosen(next);
      chatAgent.keepModel(next);
    },
    setThinking: (on) => {
      write(THINKING_KEY, on ? 'on' : 'off');
      setThinkingState(on);
    },
    setPlanning: (on) => {
      write(PLANNING_KEY, on ? 'on' : 'off');
      setPlanningState(on);
    },
  };
}

function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function write(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Without storage the choice lasts until the page is closed.
  }
}
