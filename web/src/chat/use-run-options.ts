// Which model answers next and whether it thinks first: that of the chat, in a new one that which was chosen last in this browser.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Model } from '../api/shapes.ts';
import { useServices } from '../services.tsx';

/** As the service reads it under `config.configurable`. */
export interface RunOptions {
  readonly model_name?: string;
  readonly thinking_enabled?: boolean;
}

export interface RunOptionsChoice {
  readonly options: RunOptions;
  readonly models: readonly Model[];
  readonly model: Model | undefined;
  readonly isThinking: boolean;
  readonly chooseModel: (name: string) => void;
  readonly setThinking: (on: boolean) => void;
}

const MODEL_KEY = 'model';
const THINKING_KEY = 'thinking';

/** `lastModel` answered last in this chat. */
export function useRunOptions(lastModel: string | undefined): RunOptionsChoice {
  const { api } = useServices();
  const models = useQuery({ queryKey: ['models'], queryFn: () => api.models() }).data ?? [];
  const [remembered] = useState(() => read(MODEL_KEY));
  const [chosen, setChosen] = useState<string>();
  const [chosenAfter, setChosenAfter] = useState(lastModel);
  // A choice holds until another model has answered.
  if (chosenAfter !== lastModel) {
    setChosenAfter(lastModel);
    setChosen(undefined);
  }
  const [thinking, setThinkingState] = useState(() => read(THINKING_KEY) !== 'off');
  const named = [chosen, lastModel, remembered].map((name) => models.find((it) => it.name === name));
  const model = named.find((it) => it !== undefined) ?? models[0];
  const isThinking = thinking && model?.supports_thinking === true;
  return {
    models,
    model,
    isThinking,
    options: {
      ...(model === undefined ? {} : { model_name: model.name }),
      ...(model?.supports_thinking === true ? { thinking_enabled: thinking } : {}),
    },
    chooseModel: (next) => {
      write(MODEL_KEY, next);
      setChosen(next);
    },
    setThinking: (on) => {
      write(THINKING_KEY, on ? 'on' : 'off');
      setThinkingState(on);
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
    // Without storage the choice lasts as long as the page.
  }
}
