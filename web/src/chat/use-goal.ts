// The goal of a chat: as its state has it, or as it was set here a moment ago.
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { ChosenGoal, Goal } from '../api/goal-calls.ts';
import { useServices } from '../services.tsx';

interface GoalOptions {
  readonly threadId: string | undefined;
  /** A new chat got its id. */
  readonly onBorn: (threadId: string) => void;
  /** As the state has it. */
  readonly goal: Goal | undefined;
}

export interface GoalControl {
  readonly goal: Goal | undefined;
  /** Whether the dialog is open in which a goal is set. */
  readonly isSetting: boolean;
  readonly openDialog: () => void;
  readonly closeDialog: () => void;
  /** Closes the dialog when it is done. A new chat is made for it. */
  readonly set: (goal: ChosenGoal) => void;
  readonly remove: () => void;
  readonly isPending: boolean;
  readonly error: Error | null;
}

export function useGoal({ threadId, onBorn, goal }: GoalOptions): GoalControl {
  const { api } = useServices();
  const [isSetting, setSetting] = useState(false);
  const seen = JSON.stringify(goal ?? null);
  /** What the service said, until the state says something else than it did before. */
  const [told, setTold] = useState<{ readonly goal: Goal | undefined; readonly seen: string }>();
  if (told !== undefined && told.seen !== seen) setTold(undefined);
  const set = useMutation({
    mutationFn: async (chosen: ChosenGoal) => {
      const id = threadId ?? (await api.createThread()).thread_id;
      const made = await api.setGoal(id, chosen);
      if (threadId === undefined) onBorn(id);
      return made;
    },
    onSuccess: (made) => {
      setTold({ goal: made, seen });
      setSetting(false);
    },
  });
  const remove = useMutation({
    mutationFn: async () => {
      if (threadId !== undefined) await api.removeGoal(threadId);
    },
    onSuccess: () => setTold({ goal: undefined, seen }),
  });
  return {
    goal: told === undefined ? goal : told.goal,
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
