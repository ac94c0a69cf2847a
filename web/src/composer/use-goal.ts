// The goal of a chat, from its state or as just saved here, and its status in words.
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { ChosenGoal, Goal } from '../api/goal-calls.ts';
import { useServices } from '../services/services.tsx';
import { exactTokensText } from '../usage/amounts.ts';

interface GoalOptions {
  readonly threadId: string | undefined;
  /** Called when a new chat gets its id. */
  readonly onThreadCreated: (threadId: string) => void;
  /** The goal in the state of the thread. */
  readonly goal: Goal | undefined;
}

export interface GoalControl {
  readonly goal: Goal | undefined;
  /** Whether the dialog for setting a goal is open. */
  readonly isSetting: boolean;
  readonly openDialog: () => void;
  readonly closeDialog: () => void;
  /** Sets the goal, and closes the dialog when done. Creates the thread of a new chat. */
  readonly set: (goal: ChosenGoal) => void;
  readonly remove: () => void;
  readonly isPending: boolean;
  readonly error: Error | null;
}

export function useGoal({ threadId, onThreadCreated, goal }: GoalOptions): GoalControl {
  const { api } = useServices();
  const [isSetting, setSetting] = useState(false);
  const seen = JSON.stringify(goal ?? null);
  /** The response to the last change. Used until the state of the thread changes. */
  const [saved, setSaved] = useState<{ readonly goal: Goal | undefined; readonly seen: string }>();
  if (saved !== undefined && saved.seen !== seen) setSaved(undefined);
  const set = useMutation({
    mutationFn: async (chosen: ChosenGoal) => {
      const id = threadId ?? (await api.createThread()).thread_id;
      const made = await api.setGoal(id, chosen);
      if (threadId === undefined) onThreadCreated(id);
      return made;
    },
    onSuccess: (made) => {
      setSaved({ goal: made, seen });
      setSetting(false);
    },
  });
  const remove = useMutation({
    mutationFn: async () => {
      if (threadId !== undefined) await api.removeGoal(threadId);
    },
    onSuccess: () => setSaved({ goal: undefined, seen }),
  });
  return {
    goal: saved === undefined ? goal : saved.goal,
    isSetting,
    openDialog: () => {
      set.reset();
      setSetting(true);
    },
    closeDialog: () => setSetting(false),
    set: set.mutate,
    remove: remove.mutate,
    isPending: set.isPending || remove.isPending,
    error: isSetting ? set.error : remove.error,
  };
}

export interface GoalStatus {
  /** The status in a few words. */
  readonly word: string;
  readonly tone: 'neutral' | 'success' | 'warning';
  /** The meaning of the status, and what the person can do. */
  readonly sentence: string;
  /** The label of the button that continues. */
  readonly next: 'Start' | 'Continue' | 'Set again' | undefined;
}

const WORKING: GoalStatus = {
  word: 'In progress',
  tone: 'neutral',
  sentence: 'The agent continues on its own until the goal is reached. Your messages come first.',
  next: undefined,
};
const ENDED = { tone: 'warning', next: 'Set again' } as const;

/** Returns the status. `isWorking` is true while a reply is being written. */
export function goalStatus(goal: Goal, isWorking: boolean): GoalStatus {
  switch (goal.status) {
    case 'active':
      return isWorking ? WORKING : idleStatus(goal);
    case 'met':
      return { word: 'Reached', tone: 'success', sentence: 'The goal is reached.', next: undefined };
    case 'max_continuations':
      return {
        word: 'Stopped',
        sentence: `The agent continued ${timesText(goal.continuations)}, the limit that was set. Set the goal again to continue.`,
        ...ENDED,
      };
    case 'no_progress':
      return {
        word: 'No progress',
        sentence:
          'The agent stopped because it made no progress. Say what would help, or set the goal again.',
        ...ENDED,
      };
    case 'token_budget':
      return {
        word: 'Budget spent',
        sentence: 'The agent stopped because the tokens for this goal are spent. Set it again to continue.',
        ...ENDED,
      };
    default:
      return goal.status satisfies never;
  }
}

function idleStatus({ evaluation }: Goal): GoalStatus {
  if (evaluation === null)
    return {
      word: 'Not started',
      tone: 'neutral',
      sentence: 'Work starts with your next message.',
      next: 'Start',
    };
  if (evaluation.verdict === 'blocked')
    return { word: 'Needs you', tone: 'warning', sentence: 'Only you can help here.', next: undefined };
  const sentence = 'Work continues with your next message.';
  return { word: 'Paused', tone: 'neutral', sentence, next: 'Continue' };
}

/** Returns how much of the goal's limits is used. */
export function spentText({ continuations, max_continuations, spent_tokens, token_budget }: Goal): string {
  const went = `Continued ${continuations} of ${timesText(max_continuations)}`;
  const spent = exactTokensText(spent_tokens);
  const limit = token_budget === null ? '' : ` of ${exactTokensText(token_budget)}`;
  return spent_tokens === 0 && token_budget === null ? went : `${went} · ${spent}${limit} tokens`;
}

function timesText(times: number): string {
  return times === 1 ? '1 time' : `${times} times`;
}
