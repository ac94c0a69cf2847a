// A line between turns: the agent knows what is above it from a summary, which can be read.
import { ChevronRight } from 'lucide-react';
import { Collapsible } from 'radix-ui';
import { useState } from 'react';
import { Markdown } from '../markdown/lazy-markdown.tsx';
import { usePrinting } from '../print/printing.tsx';

export function SummaryLine({ text }: { readonly text: string }) {
  const [isOpen, setOpen] = useState(false);
  const isPrinting = usePrinting();
  return (
    <li className="min-w-0">
      <Collapsible.Root open={isOpen || isPrinting} onOpenChange={setOpen}>
        <div className="flex items-center gap-3">
          <span aria-hidden className="h-px flex-1 bg-border" />
          <Collapsible.Trigger className="group flex items-center gap-1 rounded-md px-1 py-0.5 text-left text-[0.8125rem] text-muted-foreground hover:text-foreground">
            The agent reads a summary of earlier messages
            <ChevronRight
              aria-hidden
              className="size-3.5 shrink-0 transition-transform group-data-[state=open]:rotate-90"
            />
          </Collapsible.Trigger>
          <span aria-hidden className="h-px flex-1 bg-border" />
        </div>
        <Collapsible.Content>
          <div data-compact className="mt-3 border-l-2 border-border pl-4 text-muted-foreground">
            <Markdown text={text} isWriting={false} />
          </div>
        </Collapsible.Content>
      </Collapsible.Root>
    </li>
  );
}
