// What stands in the place of a list that has nothing in it.
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

interface EmptyStateProps {
  readonly icon: LucideIcon;
  /** That there is nothing, and what to do about it. */
  readonly children: ReactNode;
}

export function EmptyState({ icon: Icon, children }: EmptyStateProps) {
  return (
    <div className="grid justify-items-center gap-2 rounded-xl border border-dashed border-border p-10 text-center text-sm text-balance text-muted-foreground">
      <Icon aria-hidden className="size-5" />
      {children}
    </div>
  );
}
