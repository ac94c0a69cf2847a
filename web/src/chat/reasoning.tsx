// What the model thought before it answered, folded.
import { ChevronRight } from 'lucide-react';
import { Collapsible } from 'radix-ui';
import { useState } from 'react';
import { usePrinting } from '../print/printing.tsx';
import { cn } from '../ui/cn.ts';

interface ReasoningProps {
  readonly text: string;
  readonly isThinking: boolean;
}

export function Reasoning({ text, isThinking }: ReasoningProps) {
  const [isOpen, setOpen] = useState(false);
  const isPrinting = usePrinting();
  return (
    <Collapsible.Root open={isOpen || isPrinting} onOpenChange={setOpen} className="min-w-0">
      <Collapsible.Trigger className="group -ml-1 flex items-center gap-1.5 rounded-md px-1 py-0.5 text-sm pointer-coarse:min-h-10 text-muted-foreground hover:text-foreground">
        <ChevronRight aria-hidden className="size-4 transition-transform group-data-[state=open]:rotate-90" />
        <span className={cn(isThinking && 'animate-[breathe_1.6s_ease-in-out_infinite]')}>
          {isThinking ? 'Thinking…' : 'Thoughts'}
        </span>
      </Collapsible.Trigger>
      <Collapsible.Content>
        <p
          dir="auto"
          className="mt-2 ml-1.5 border-l-2 border-border pl-4 text-sm leading-relaxed whitespace-pre-wrap text-muted-foreground [overflow-wrap:anywhere]"
        >
          {text}
        </p>
      </Collapsible.Content>
    </Collapsible.Root>
  );
}
