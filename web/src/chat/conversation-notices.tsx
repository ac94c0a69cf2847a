// The line above the box to write in: a lost connection, a failed run, a demo.
import { Link } from '@tanstack/react-router';
import { RotateCcw } from 'lucide-react';
import { useConnectionState } from '../services.tsx';
import { useNow } from '../threads/use-now.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { Spinner } from '../ui/spinner.tsx';
import type { Conversation } from './use-conversation.ts';

interface ConversationNoticesProps {
  readonly conversation: Conversation;
  readonly onRetry: () => void;
}

/** How the service begins to say that the day's budget is reached, and not that of one run. */
const OF_DAY = 'Your budget for today';

export function ConversationNotices({ conversation, onRetry }: ConversationNoticesProps) {
  const connection = useConnectionState();
  const now = useNow();
  const { problem } = conversation;
  if (connection === 'lost')
    return (
      <Notice tone="warning" actions={<Spinner />}>
        The connection is lost. Reconnecting; the answer goes on without this page.
      </Notice>
    );
  const reached = reachedBudget(conversation, now);
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
        {problem.kind === 'failed' ? problem.text : 'The service did not answer.'}
        {reached !== undefined && (
          <>
            {' '}
            <Link to="/settings/usage" className="underline underline-offset-2">
              See what you have used
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

/**
 * Nothing is broken then: there is a sentence about what is used up, and when there is more. Until a new day begins, at
 * midnight UTC, another try would be refused as well.
 */
function reachedBudget(
  { problem, latestRun }: Conversation,
  now: Date,
): { readonly canRetry: boolean } | undefined {
  if (problem?.kind !== 'failed' || problem.text !== latestRun?.error) return undefined;
  if (latestRun.stop_reason !== 'budget_exhausted') return undefined;
  const dayOf = (moment: Date) => moment.toISOString().slice(0, 10);
  const isOfDay = latestRun.error.startsWith(OF_DAY);
  const endedToday = dayOf(new Date(latestRun.finished_at ?? now)) === dayOf(now);
  return { canRetry: !isOfDay || !endedToday };
}

function isFirstDemoAnswer({ turns, phase, waiting }: Conversation): boolean {
  return (
    phase === 'idle' &&
    waiting === undefined &&
    turns.length === 1 &&
    turns[0]?.steps.at(-1)?.model === 'demo'
  );
}
