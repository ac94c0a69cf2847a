// A question of the agent. The person answers it with an ordinary message.
import { MessageCircleQuestion } from 'lucide-react';
import type { QuestionView } from '../conversation/message-view.ts';
import { Button } from '../ui/button.tsx';

interface QuestionCardProps {
  readonly question: QuestionView;
  readonly onAnswer: ((text: string) => void) | undefined;
}

export function QuestionCard({ question, onAnswer }: QuestionCardProps) {
  const canAnswer = onAnswer !== undefined;
  return (
    <fieldset className="grid min-w-0 gap-3 rounded-xl border border-border bg-surface p-4 shadow-xs">
      <legend className="sr-only">Question from the agent</legend>
      <div className="flex gap-3">
        <MessageCircleQuestion aria-hidden className="mt-0.5 size-5 shrink-0 text-primary" />
        <div className="grid min-w-0 gap-1">
          <p className="font-medium [overflow-wrap:anywhere]">{question.question}</p>
          {question.context !== undefined && (
            <p className="text-sm leading-relaxed text-muted-foreground [overflow-wrap:anywhere]">
              {question.context}
            </p>
          )}
        </div>
      </div>
      {question.options.length > 0 && (
        <div className="flex flex-wrap gap-2 pl-8">
          {question.options.map((option) => (
            <Button
              key={option.value}
              variant="secondary"
              size="small"
              disabled={!canAnswer}
              onClick={() => onAnswer?.(option.value)}
              className="h-auto min-h-8 max-w-full shrink py-1.5 text-left whitespace-normal [overflow-wrap:anywhere] pointer-coarse:h-auto pointer-coarse:min-h-10"
            >
              {option.label}
            </Button>
          ))}
        </div>
      )}
      {canAnswer && (
        <p className="pl-8 text-[0.8125rem] text-muted-foreground">
          {question.options.length > 0
            ? 'Choose one, or write your own answer below.'
            : 'Write your answer below.'}
        </p>
      )}
    </fieldset>
  );
}
