// Switches to another branch of the conversation: another version of a message or of a reply.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { Checkpoint } from '../api/shapes.ts';
import type { Fork } from '../conversation/branches.ts';
import { useTurnActions } from '../conversation/turn-actions.ts';
import { useServices } from '../services/services.tsx';
import { refreshThreads } from '../threads/thread-queries.ts';
import { Button } from '../ui/button.tsx';

interface BranchSwitcherProps {
  readonly threadId: string;
  readonly fork: Fork;
  /** The part that has several versions, for screen readers. */
  readonly label: string;
}

export function BranchSwitcher({ threadId, fork, label }: BranchSwitcherProps) {
  const { api } = useServices();
  const queryClient = useQueryClient();
  const { reload, isArrival } = useTurnActions();
  const buttons = useRef<HTMLFieldSetElement>(null);
  useEffect(() => {
    // The conversation was reopened from here, so the focus returns here.
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
        variant="quiet"
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
        variant="quiet"
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
