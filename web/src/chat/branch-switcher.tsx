// Goes to another branch of the conversation: an earlier wording of a question, an earlier try of an answer.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { Checkpoint } from '../api/shapes.ts';
import { useServices } from '../services.tsx';
import { refreshThreads } from '../threads/thread-queries.ts';
import { Button } from '../ui/button.tsx';
import type { Fork } from './checkpoint-tree.ts';
import { useTurnActions } from './turn-actions.ts';

interface BranchSwitcherProps {
  readonly threadId: string;
  readonly fork: Fork;
  /** What has the branches, as the screen reader says it. */
  readonly label: string;
}

export function BranchSwitcher({ threadId, fork, label }: BranchSwitcherProps) {
  const { api } = useServices();
  const queryClient = useQueryClient();
  const { reload, isArrival } = useTurnActions();
  const buttons = useRef<HTMLFieldSetElement>(null);
  useEffect(() => {
    // The conversation was opened anew from here; the person goes on where they were.
    if (isArrival(fork.checkpointId)) buttons.current?.querySelector<HTMLElement>('button:enabled')?.focus();
  }, [fork.checkpointId, isArrival]);
  const show = useMutation({
    mutationFn: (leaf: Checkpoint) => api.showBranch(threadId, leaf),
    onSuccess: async () => {
      reload(fork.checkpointId);
      await refreshThreads(queryClient);
    },
  });
  const { leaves, current } = fork;
  const step = (by: 1 | -1) => {
    const leaf = leaves[current + by];
    if (leaf !== undefined) show.mutate(leaf);
  };
  return (
    <fieldset ref={buttons} className="flex items-center group-data-[busy=true]/turns:hidden">
      <legend className="sr-only">{label}</legend>
      <Button
        look="quiet"
        size="icon-small"
        aria-label="Previous version"
        disabled={current === 0 || show.isPending}
        onClick={() => step(-1)}
      >
        <ChevronLeft />
      </Button>
      <span className="text-[0.8125rem] text-muted-foreground tabular-nums">
        {current + 1} / {leaves.length}
      </span>
      <Button
        look="quiet"
        size="icon-small"
        aria-label="Next version"
        disabled={current === leaves.length - 1 || show.isPending}
        onClick={() => step(1)}
      >
        <ChevronRight />
      </Button>
      {show.error !== null && (
        <span role="alert" className="text-[0.8125rem] text-danger">
          {show.error.message}
        </span>
      )}
    </fieldset>
  );
}
