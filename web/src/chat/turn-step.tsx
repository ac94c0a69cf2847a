// One step of the agent: what it thought and said, and what it called tools for.
import { Markdown } from '../markdown/lazy-markdown.tsx';
import { CallCard } from './call-card.tsx';
import type { CallCardProps } from './call-view.tsx';
import type { AiView } from './message-view.ts';
import { QuestionCard } from './question-card.tsx';
import { Reasoning } from './reasoning.tsx';
import type { Turn } from './turns.ts';
import { isAskedAbout, type Waiting } from './waiting.ts';

interface TurnStepProps {
  readonly step: AiView;
  readonly turn: Turn;
  readonly callState: CallCardProps['turnState'];
  readonly startsOpen?: boolean;
  readonly isWriting?: boolean;
  readonly waiting?: Waiting | undefined;
  /** Sends the answer to a question of the agent; undefined where it is too late to answer. */
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
        // The card that asks shows all of it.
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
