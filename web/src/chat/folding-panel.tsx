// A panel above the box to write in: one line, and what is behind it.
import { ChevronRight, type LucideIcon } from 'lucide-react';
import { Collapsible } from 'radix-ui';
import { type ReactNode, useState } from 'react';

interface FoldingPanelProps {
  readonly label: string;
  readonly icon: LucideIcon;
  /** Beside the label while the panel is closed. */
  readonly summary: string;
  /** At the end of the line. */
  readonly note: ReactNode;
  /** Until the person opens or closes it. */
  readonly startsOpen: boolean;
  readonly children: ReactNode;
}

export function FoldingPanel({ label, icon: Icon, summary, note, startsOpen, children }: FoldingPanelProps) {
  const [isChosenOpen, setChosenOpen] = useState<boolean>();
  const isOpen = isChosenOpen ?? (startsOpen && matchMedia('(min-width: 640px)').matches);
  return (
    <Collapsible.Root
      open={isOpen}
      onOpenChange={setChosenOpen}
      asChild
      className="min-w-0 overflow-hidden rounded-xl border border-border bg-surface"
    >
      <section aria-label={label}>
        <Collapsible.Trigger className="group flex w-full min-w-0 items-center gap-2.5 px-3.5 py-2 text-left text-[0.8125rem] pointer-coarse:min-h-10 hover:bg-accent focus-visible:-outline-offset-2">
          <Icon aria-hidden className="size-4 shrink-0 text-muted-foreground" />
          <span className="shrink-0 font-medium">{label}</span>
          <span dir="auto" className="min-w-0 flex-1 truncate text-muted-foreground">
            {isOpen ? '' : summary}
          </span>
          <span className="shrink-0 text-xs text-muted-foreground tabular-nums">{note}</span>
          <ChevronRight
            aria-hidden
            className="size-4 shrink-0 text-muted-foreground transition-transform group-data-[state=open]:rotate-90"
          />
        </Collapsible.Trigger>
        <Collapsible.Content className="border-t border-border">
          <div
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
            tabIndex={0}
            className="max-h-[26dvh] overflow-y-auto px-3.5 py-2.5 focus-visible:-outline-offset-2"
          >
            {children}
          </div>
        </Collapsible.Content>
      </section>
    </Collapsible.Root>
  );
}
