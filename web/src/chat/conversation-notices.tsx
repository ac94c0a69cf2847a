// The line above the box to write in: a lost connection, a failed run, a demo.
import { Link } from '@tanstack/react-router';
import { RotateCcw } from 'lucide-react';
import { useConnectionState } from '../services.tsx';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { Spinner } from '../ui/spinner.tsx';
import type { Conversation } from './use-conversation.ts';
import { useReachedBudget } from './use-reached-budget.ts';

interface ConversationNoticesProps {
  readonly threadId: string | undefined;
  readonly conversation: Conversation;
  readonly onRetry: () => void;
  /** What is to be said about a message that was not sent. */
  readonly unsent: string | undefined;
}

export function ConversationNotices(props: ConversationNoticesProps) {
  const { threadId, conversation, onRetry, unsent } = props;
  const connection = useConnectionState();
  const reached = useReachedBudget(threadId, conversation);
  const { problem } = conversation;
  if (connection === 'lost') return <ConnectionLost {...conversation} />;
  if (unsent !== undefined) return <Notice tone="danger">{unsent}</Notice>;
  if (problem !== undefined)
    return (
      <Notice
        tone={reached === undefined ? 'danger' : 'warning'}
        actions={
          reached?.canRetry === false ? undefined : (
            <Button look="secondary" size="small" onClick={onRetry}>
              <RotateCcw aria-hidden />
              Try again
            </Button>
          )
        }
      >
        {problem.kind === 'failed' ? problem.text : 'The service did not respond.'}
        {reached !== undefined && (
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
