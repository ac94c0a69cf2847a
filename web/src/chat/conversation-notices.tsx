// The lines above the box to write in: lost connection, failed run, demo model.
import { RotateCcw } from 'lucide-react';
import { useConnectionState } from '../services.tsx';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { Spinner } from '../ui/spinner.tsx';
import type { Conversation } from './use-conversation.ts';
import type { RunOptionsChoice } from './use-run-options.ts';

interface ConversationNoticesProps {
  readonly conversation: Conversation;
  readonly choice: RunOptionsChoice;
  readonly onRetry: () => void;
}

export function ConversationNotices({ conversation, choice, onRetry }: ConversationNoticesProps) {
  const connection = useConnectionState();
  const { problem, turns } = conversation;
  if (connection === 'lost')
    return (
      <Notice tone="warning" actions={<Spinner />}>
        The connection is lost. Reconnecting; nothing is lost meanwhile.
      </Notice>
    );
  if (problem !== undefined)
    return (
      <Notice
        tone="danger"
        actions={
          <Button look="secondary" size="small" onClick={onRetry}>
            <RotateCcw aria-hidden />
            Try again
          </Button>
        }
      >
        {problem.kind === 'failed' ? problem.text : 'The service did not answer.'}
      </Notice>
    );
  if (isDemo(conversation, choice) && turns.length < 2)
    return (
      <p className="px-1 text-center text-[0.8125rem] leading-snug text-balance text-muted-foreground">
        This is the built-in demo model. It works offline and follows plain requests; add a model to the
        configuration for real answers.
      </p>
    );
  return null;
}

function isDemo({ turns }: Conversation, { model }: RunOptionsChoice): boolean {
  if (model !== undefined) return model.name === 'demo';
  return turns.at(-1)?.steps.at(-1)?.model === 'demo';
}
