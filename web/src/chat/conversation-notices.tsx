// The notice above the composer: a lost connection, a failed run, the demo model.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Play, RotateCcw, Signpost } from 'lucide-react';
import type { Conversation } from '../conversation/use-conversation.ts';
import { useConnectionState, useServices } from '../services/services.tsx';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { useNow } from '../ui/use-now.ts';

interface ConversationNoticesProps {
  readonly threadId: string | undefined;
  readonly conversation: Conversation;
  readonly onRetry: () => void;
  /** Sends a message on the person's behalf. */
  readonly onSay: (text: string) => void;
  /** Why a message was not sent. */
  readonly unsent: string | undefined;
}

/** Without a new message, the agent would do the same again. */
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
  if (isFirstDemoReply(conversation))
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
      <Button variant="secondary" size="small" onClick={() => onSay(ANOTHER_WAY)}>
        <Signpost aria-hidden />
        Try another way
      </Button>
    );
  const hasBegun = stop !== undefined && (conversation.turns.at(-1)?.steps.length ?? 0) > 0;
  return (
    <Button variant="secondary" size="small" onClick={onRetry}>
      {hasBegun ? <Play aria-hidden /> : <RotateCcw aria-hidden />}
      {hasBegun ? 'Continue' : 'Try again'}
    </Button>
  );
}

function ConnectionLost({ turns, phase, problem }: Pick<Conversation, 'turns' | 'phase' | 'problem'>) {
  const isReplying = turns.length > 0 && (phase === 'answering' || problem?.kind === 'connection');
  return (
    <Notice tone="warning" actions={<Spinner />}>
      Connection lost. Reconnecting…{isReplying && ' The answer continues in the background.'}
    </Notice>
  );
}

function isFirstDemoReply({ turns, phase, waiting }: Conversation): boolean {
  return (
    phase === 'idle' &&
    waiting === undefined &&
    turns.length === 1 &&
    turns[0]?.steps.at(-1)?.model === 'demo'
  );
}

export type RunStop = { readonly kind: 'loop' } | { readonly kind: 'budget'; readonly mayGoOn: boolean };

/**
 * Returns the reason of a run that ended although nothing is broken. A daily budget is renewed at midnight
 * UTC. Until then, the service would refuse every other run as well.
 */
function useRunStop(threadId: string | undefined, { problem, latestRun }: Conversation): RunStop | undefined {
  const { api } = useServices();
  const now = useNow();
  const ended = problem?.kind === 'failed' && problem.text === latestRun?.error ? latestRun : undefined;
  const isReached = ended?.stop_reason === 'budget_exhausted';
  const { data: budget, isPending } = useQuery({
    queryKey: ['budget-that-ended', ended?.run_id],
    queryFn: async () =>
      threadId === undefined || ended === undefined
        ? null
        : ((await api.budgetThatEnded(threadId, ended.run_id)) ?? null),
    enabled: isReached && threadId !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (ended?.stop_reason === 'loop_detected') return { kind: 'loop' };
  if (!isReached) return undefined;
  const endedToday = dayOf(new Date(ended.finished_at ?? now)) === dayOf(now);
  // A person would press a button that appears and disappears by mistake.
  return { kind: 'budget', mayGoOn: !isPending && (budget !== 'user_day' || !endedToday) };
}

function dayOf(moment: Date): string {
  return moment.toISOString().slice(0, 10);
}
