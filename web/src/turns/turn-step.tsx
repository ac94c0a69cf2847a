// One step of the agent: its reasoning, its text, and its tool calls.
import { ChevronRight } from 'lucide-react';
import { Collapsible } from 'radix-ui';
import { useState } from 'react';
import type { AiView } from '../conversation/message-view.ts';
import type { Turn } from '../conversation/turns.ts';
import { isAskedAbout, type Waiting } from '../conversation/waiting.ts';
import { Markdown } from '../markdown/lazy-markdown.tsx';
import { usePrinting } from '../print/printing.tsx';
import { QuestionCard } from '../questions/question-card.tsx';
import { CallCard } from '../tool-cards/call-card.tsx';
import type { CallCardProps } from '../tool-cards/tool-frame.tsx';
import { cn } from '../ui/cn.ts';

interface TurnStepProps {
  readonly step: AiView;
  readonly turn: Turn;
  readonly callState: CallCardProps['turnState'];
  readonly startsOpen?: boolean;
  readonly isWriting?: boolean;
  readonly waiting?: Waiting | undefined;
  /** Sends the answer to a question of the agent. Undefined when it is too late. */
  readonly onAnswer?: ((text: string) => void) | undefined;
}

export function TurnStep(props: TurnStepProps) {
  const { step, turn, callState, startsOpen = false, isWriting = false, waiting, onAnswer } = props;
  const isThinking = isWriting && step.text === '' && step.calls.length === 0;
  return (
    <>
      {step.reasoning !== '' && <Reasoning text={step.reasoning} isThinking={isThinking} />}
      {step.text !== '' && (
        <div data-message={step.id} className="min-w-0">
          <Markdown text={step.text} isWriting={isWriting && step.calls.length === 0} />
        </div>
      )}
      {step.calls.map((call) => {
        const result = turn.results.get(call.id);
        if (result?.question !== undefined)
          return <QuestionCard key={call.id} question={result.question} onAnswer={onAnswer} />;
        // The card that asks already shows everything.
        if (result === undefined && isAskedAbout(waiting, call)) return null;
        return (
          <CallCard
            key={call.id}
            call={call}
            result={result}
            turnState={callState}
            namespace=""
            startsOpen={startsOpen}
          />
        );
      })}
    </>
  );
}

interface ReasoningProps {
  readonly text: string;
  readonly isThinking: boolean;
}

function Reasoning({ text, isThinking }: ReasoningProps) {
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
