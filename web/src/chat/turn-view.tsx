// One turn: the message of the person, then the steps of the agent.
import { memo } from 'react';
import { Markdown } from '../markdown/lazy-markdown.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import type { AiView } from './message-view.ts';
import { QuestionCard } from './question-card.tsx';
import { Reasoning } from './reasoning.tsx';
import { ToolCard } from './tool-card.tsx';
import type { Turn } from './turns.ts';

interface TurnViewProps {
  readonly turn: Turn;
  readonly isRunning: boolean;
  /** Sends the answer to a question of the agent; undefined where it is too late to answer. */
  readonly onAnswer: ((text: string) => void) | undefined;
}

export const TurnView = memo(function TurnView({ turn, isRunning, onAnswer }: TurnViewProps) {
  const last = turn.steps.at(-1);
  const answer = turn.steps
    .map((step) => step.text)
    .filter(Boolean)
    .join('\n\n');
  return (
    <li className="grid min-w-0 gap-5">
      {turn.human !== undefined && <HumanMessage text={turn.human.text} />}
      <div className="grid min-w-0 gap-4" data-role="assistant">
        <h2 className="sr-only">Agent</h2>
        {turn.steps.map((step) => (
          <Step
            key={step.id}
            step={step}
            turn={turn}
            isWriting={isRunning && step === last}
            onAnswer={step === last ? onAnswer : undefined}
            isRunning={isRunning}
          />
        ))}
        {isRunning && !isShowingProgress(last, turn) && <Waiting />}
        {!isRunning && answer !== '' && (
          <div className="-mt-2 -ml-2 flex">
            <CopyButton text={answer} label="Copy the answer" />
          </div>
        )}
      </div>
    </li>
  );
});

const HumanMessage = memo(function HumanMessage({ text }: { readonly text: string }) {
  return (
    <div
      data-role="human"
      className="max-w-[85%] justify-self-end rounded-2xl rounded-br-md bg-accent px-4 py-2.5 text-[0.9875rem] leading-relaxed whitespace-pre-wrap [overflow-wrap:anywhere]"
    >
      <h2 className="sr-only">You</h2>
      {text}
    </div>
  );
});

interface StepProps extends TurnViewProps {
  readonly step: AiView;
  readonly isWriting: boolean;
}

function Step({ step, turn, isWriting, isRunning, onAnswer }: StepProps) {
  const isThinking = isWriting && step.text === '' && step.calls.length === 0;
  return (
    <>
      {step.reasoning !== '' && <Reasoning text={step.reasoning} isThinking={isThinking} />}
      {step.text !== '' && <Markdown text={step.text} isWriting={isWriting && step.calls.length === 0} />}
      {step.calls.map((call) => {
        const result = turn.results.get(call.id);
        if (result?.question !== undefined)
          return <QuestionCard key={call.id} question={result.question} onAnswer={onAnswer} />;
        return <ToolCard key={call.id} call={call} result={result} isRunning={isRunning} />;
      })}
    </>
  );
}

/** Whether something on the screen already moves. */
function isShowingProgress(step: AiView | undefined, turn: Turn): boolean {
  if (step === undefined) return false;
  if (step.calls.length > 0) return step.calls.some((call) => !turn.results.has(call.id));
  return step.text !== '' || step.reasoning !== '';
}

function Waiting() {
  return (
    <div aria-hidden className="flex h-7 items-center gap-1.5">
      {[0, 180, 360].map((delay) => (
        <span
          key={delay}
          className="size-1.5 animate-[breathe_1.2s_ease-in-out_infinite] rounded-full bg-muted-foreground"
          style={{ animationDelay: `${delay}ms` }}
        />
      ))}
    </div>
  );
}
