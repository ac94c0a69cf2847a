// Goes to another branch of the conversation: an earlier wording of a question, an earlier try of an answer.
import { useMutation } from '@tanstack/react-query';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useServices } from '../services.tsx';
import { Button } from '../ui/button.tsx';
import type { Fork } from './checkpoint-tree.ts';

interface BranchSwitcherProps {
  readonly threadId: string;
  readonly fork: Fork;
  /** What has the branches, as the screen reader says it. */
  readonly label: string;
  readonly onShown: () => void;
}

export function BranchSwitcher({ threadId, fork, label, onShown }: BranchSwitcherProps) {
  const { api } = useServices();
  const show = useMutation({
    mutationFn: (leaf: string) => api.showBranch(threadId, leaf),
    onSuccess: onShown,
  });
  const { leaves, current } = fork;
  const step = (by: 1 | -1) => {
    const leaf = leaves[current + by];
    if (leaf !== undefined) show.mutate(leaf);
  };
  return (
    <fieldset data-fork={fork.checkpointId} className="flex items-center group-data-[busy=true]/turns:hidden">
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
