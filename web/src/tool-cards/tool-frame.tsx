// The frame of a call: how it went, what it is about, and below, folded or not, the details.
import { ChevronRight } from 'lucide-react';
import { Collapsible } from 'radix-ui';
import { type ReactNode, useState } from 'react';
import { CallMark, type CallState, STATE_WORDS } from '../chat/call-view.tsx';
import { usePrinting } from '../print/printing.tsx';
import { toolWords } from './tool-words.ts';

interface ToolFrameProps {
  readonly name: string;
  /** In the place of the words for the name. */
  readonly title?: string | undefined;
  readonly state: CallState;
  readonly summary: string;
  /** At the end of the line: a count, an ending. */
  readonly badge?: ReactNode;
  readonly isOpenAtFirst?: boolean;
  readonly children: ReactNode;
}

export function ToolFrame(props: ToolFrameProps) {
  const { name, title = toolWords(name), state, summary, badge, isOpenAtFirst = false, children } = props;
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const isPrinting = usePrinting();
  return (
    <Collapsible.Root
      open={isOpen || isPrinting}
      onOpenChange={setOpen}
      data-tool={name}
      data-tool-state={state}
      className="min-w-0 overflow-hidden rounded-xl border border-border bg-surface"
    >
      <Collapsible.Trigger className="group flex w-full items-center gap-2.5 px-3.5 py-2.5 text-left text-sm pointer-coarse:min-h-10 hover:bg-accent focus-visible:-outline-offset-2">
        <CallMark state={state} />
        <span className="max-w-[60%] shrink-0 truncate text-[0.8125rem] font-medium">{title}</span>
        <span className="sr-only">{STATE_WORDS[state]}</span>
        <span className="min-w-0 flex-1 truncate text-[0.8125rem] text-muted-foreground">{summary}</span>
        {badge !== undefined && (
          <span className="flex shrink-0 items-center gap-1.5 text-xs text-muted-foreground tabular-nums">
            {badge}
          </span>
        )}
        <ChevronRight
          aria-hidden
          className="size-4 shrink-0 text-muted-foreground transition-transform group-data-[state=open]:rotate-90"
        />
      </Collapsible.Trigger>
      <Collapsible.Content className="min-w-0 border-t border-border">{children}</Collapsible.Content>
    </Collapsible.Root>
  );
}
