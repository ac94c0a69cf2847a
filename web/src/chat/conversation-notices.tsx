// The line above the box to write in: a lost connection, a failed run, a demo.
import { Link } from '@tanstack/react-router';
import { Play, RotateCcw, Signpost } from 'lucide-react';
import { useConnectionState } from '../services.tsx';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { Spinner } from '../ui/spinner.tsx';
import type { Conversation } from './use-conversation.ts';
import { type RunStop, useRunStop } from './use-run-stop.ts';

interface ConversationNoticesProps {
  readonly threadId: string | undefined;
  readonly conversation: Conversation;
  readonly onRetry: () => void;
  /** Says something in the place of the person. */
  readonly onSay: (text: string) => void;
  /** What is to be said about a message that was not sent. */
  readonly unsent: string | undefined;
}

/** Without new words the agent would do the same again. */
const ANOTHER_WAY = 'You were repeating yourself. Try another way, or tell me what you need from me.';

export function ConversationNotices(props: ConversationNoticesProps) {
  const { threadId, conversation, unsent } = props;
  const connection = useConnectionState();
  const stop = useRunStop(threadId, conversation);
  const { problem } = conversation;
  if (connection === 'lost') return <ConnectionLost {...conversation} />;
  if (unsent !== undefined) return <Notice tone="danger">{unsent}</Notice>;
  if (problem !== undefined)
    return (
      <Notice tone={stop === undefined ? 'danger' : 'warning'} actions={<NextStep {...props} stop={stop} />}>
        {problem.kind === 'failed' ? problem.text : 'The service did not respond.'}
        {stop?.kind === 'budget' && (
          <>
            {' '}
            <Link to="/settings/usage" className="underline underline-offset-2">
              View usage
            </Link>
          </>
        )}
      </Notice>
    );
  if (isFirstDemoAnswer(conversation))
    return (
      <p className="px-1 text-center text-[0.8125rem] leading-snug text-balance text-muted-foreground">
        This was the built-in demo model. Add a model to the configuration for real answers.
      </p>
    );
  return null;
}

interface NextStepProps extends Pick<ConversationNoticesProps, 'conversation' | 'onRetry' | 'onSay'> {
  readonly stop: RunStop | undefined;
}

function NextStep({ conversation, onRetry, onSay, stop }: NextStepProps) {
  if (stop?.kind === 'budget' && !stop.mayGoOn) return null;
  if (stop?.kind === 'loop')
    return (
      <Button look="secondary" size="small" onClick={() => onSay(ANOTHER_WAY)}>
        <Signpost aria-hidden />
        Try another way
      </Button>
    );
  const hasBegun = stop !== undefined && (conversation.turns.at(-1)?.steps.length ?? 0) > 0;
  return (
    <Button look="secondary" size="small" onClick={onRetry}>
      {hasBegun ? <Play aria-hidden /> : <RotateCcw aria-hidden />}
      {hasBegun ? 'Continue' : 'Try again'}
    </Button>
  );
}

function ConnectionLost({ turns, phase, problem }: Pick<Conversation, 'turns' | 'phase' | 'problem'>) {
  const isAnswering = turns.length > 0 && (phase === 'answering' || problem?.kind === 'connection');
  return (
    <Notice tone="warning" actions={<Spinner />}>
      Connection lost. Reconnecting…{isAnswering && ' The answer continues in the background.'}
    </Notice>
  );
}

function isFirstDemoAnswer({ turns, phase, waiting }: Conversation): boolean {
  return (
    phase === 'idle' &&
    waiting === undefined &&
    turns.length === 1 &&
    turns[0]?.steps.at(-1)?.model === 'demo'
  );
}
