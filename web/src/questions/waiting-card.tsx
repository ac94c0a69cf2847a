// The question of a waiting run, at the end of the conversation.
import { CirclePause, MessageCircleQuestionMark } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import type { Waiting } from '../conversation/waiting.ts';
import { Button } from '../ui/button.tsx';
import { TextArea } from '../ui/text-field.tsx';
import { ApprovalCard } from './approval-card.tsx';
import { FormCard } from './form-card.tsx';
import { WaitingFrame } from './waiting-frame.tsx';

interface WaitingCardProps {
  readonly waiting: Waiting;
  readonly askingTask: string | undefined;
  readonly isSending: boolean;
  readonly onAnswer: (answer: unknown) => void;
  readonly onAlwaysAllow: (name: string) => void;
  readonly onProceed: () => void;
}

export function WaitingCard(props: WaitingCardProps) {
  const { waiting, askingTask, isSending, onAnswer, onAlwaysAllow, onProceed } = props;
  const asking = { askingTask, isSending, onAnswer };
  if (waiting.kind === 'approval')
    return <ApprovalCard waiting={waiting} onAlwaysAllow={onAlwaysAllow} {...asking} />;
  if (waiting.kind === 'form') return <FormCard form={waiting.form} {...asking} />;
  if (waiting.kind === 'question') return <OpenQuestion text={waiting.text} {...asking} />;
  return (
    <WaitingFrame icon={CirclePause} label="Pause" title={pauseTitle(waiting.next)} isSending={isSending}>
      <div>
        <Button size="small" onClick={onProceed}>
          Continue
        </Button>
      </div>
    </WaitingFrame>
  );
}

function pauseTitle(next: readonly string[]): string {
  if (next.length === 1 && next[0] === 'tools') return 'The agent paused before using tools';
  if (next.length === 1 && next[0] === 'model') return 'The agent paused before the model answers';
  return next.length === 0 ? 'The agent paused' : `The agent paused before: ${next.join(', ')}`;
}

interface OpenQuestionProps {
  readonly text: string;
  readonly askingTask: string | undefined;
  readonly isSending: boolean;
  readonly onAnswer: (text: string) => void;
}

function OpenQuestion({ text, askingTask, isSending, onAnswer }: OpenQuestionProps) {
  const [answer, setAnswer] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onAnswer(answer.trim());
  };
  return (
    <WaitingFrame
      icon={MessageCircleQuestionMark}
      label="Question"
      title="The agent needs your answer"
      askingTask={askingTask}
      isSending={isSending}
    >
      <p className="text-sm leading-relaxed whitespace-pre-wrap [overflow-wrap:anywhere]">{text}</p>
      <form onSubmit={submit} className="grid min-w-0 gap-3">
        <TextArea label="Your answer" value={answer} onChange={({ target }) => setAnswer(target.value)} />
        <div>
          <Button type="submit" size="small" disabled={answer.trim() === ''}>
            Send answer
          </Button>
        </div>
      </form>
    </WaitingFrame>
  );
}
