// Where the conversation that is shown leaves others of the same thread.
import { useQueries, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Checkpoint } from '../api/shapes.ts';
import { useServices } from '../services.tsx';
import { idOf } from './branch-point.ts';
import { type Fork, forksOn, isElsewhere, pathTo } from './checkpoint-tree.ts';

export interface Branches {
  /** By the id of the message with which the branches begin; `END` where this branch says nothing yet. */
  readonly forks: ReadonlyMap<string, Fork>;
  /** Whether what the run did belongs to another branch. */
  readonly isElsewhere: (runId: string) => boolean;
}

interface BranchesOptions {
  readonly threadId: string | undefined;
  /** The newest checkpoint of what is shown; undefined while it changes. */
  readonly head: Checkpoint | undefined;
  readonly messages: readonly unknown[];
}

export const END = 'end';

/** Looks as far back as one page of checkpoints; they never change, so each is asked for once. */
export function useBranches({ threadId, head, messages }: BranchesOptions): Branches {
  const { api } = useServices();
  const older = useQuery({
    queryKey: ['checkpoints-before', threadId, head?.checkpoint_id],
    queryFn: async () =>
      threadId === undefined || head === undefined
        ? []
        : (await api.checkpointsBefore(threadId, head.checkpoint_id)).checkpoints,
    enabled: threadId !== undefined && head !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  }).data;
  const tree = useMemo(() => treeOf(head, older), [head, older]);
  const starts = useQueries({
    queries: tree.forks.map(({ checkpointId }) => ({
      queryKey: ['message-ids-at', threadId, checkpointId],
      queryFn: async () =>
        threadId === undefined ? [] : (await api.messagesAt(threadId, checkpointId)).map(idOf),
      staleTime: Number.POSITIVE_INFINITY,
    })),
    combine: (results) => results.map((it) => it.data),
  });
  return useMemo(() => {
    const forks = new Map<string, Fork>();
    for (const [index, fork] of tree.forks.entries()) {
      const start = starts[index];
      if (start === undefined) continue;
      const known = new Set(start);
      const first = messages.find((it) => !known.has(idOf(it)));
      forks.set((first === undefined ? undefined : idOf(first)) ?? END, fork);
    }
    return { forks, isElsewhere: tree.isElsewhere };
  }, [tree, starts, messages]);
}

function treeOf(head: Checkpoint | undefined, older: readonly Checkpoint[] | undefined) {
  if (head === undefined || older === undefined) return { forks: [], isElsewhere: () => false };
  const checkpoints = [head, ...older];
  const path = pathTo(head.checkpoint_id, checkpoints);
  return {
    forks: forksOn(path, checkpoints),
    isElsewhere: (runId: string) => isElsewhere(runId, path, checkpoints),
  };
}
