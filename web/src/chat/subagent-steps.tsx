// The steps of a sub-agent: what it said and which tools it called. Read from the service when they are opened.
import { useQuery } from '@tanstack/react-query';
import type { ComponentType } from 'react';
import { useServices } from '../services.tsx';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import type { CallCardProps, CallState } from './call-view.tsx';
import { type MessageView, readMessage } from './message-view.ts';
import { mergedMessages, workOf } from './subagent.ts';
import { useTurnActions } from './turn-actions.ts';

interface SubagentStepsProps {
  readonly namespace: string;
  /** How the call went that began the sub-agent. */
  readonly state: CallState;
  /** What the stream has told of it since the page was opened. */
  readonly told: readonly MessageView[];
  readonly Inner: ComponentType<CallCardProps>;
}

export function SubagentSteps({ namespace, state, told, Inner }: SubagentStepsProps) {
  const { api } = useServices();
  const { threadId } = useTurnActions();
  const read = useQuery({
    // Read once more when its work has come to an end.
    queryKey: ['subagent', threadId, namespace, state],
    queryFn: async () => {
      const messages = threadId === undefined ? [] : await api.messagesOfAgent(threadId, namespace);
      return messages.map(readMessage).filter((it) => it !== undefined);
    },
    placeholderData: (before) => before,
  });
  const messages = mergedMessages(read.data ?? [], told);
  const { steps, results } = workOf(messages);
  const turnState = state === 'running' || state === 'waiting' ? state : 'over';
  if (read.isError)
    return (
      <Notice
        tone="danger"
        actions={
          <Button look="secondary" size="small" onClick={() => void read.refetch().catch(reportError)}>
            Try again
          </Button>
        }
      >
        The steps could not be loaded.
      </Notice>
    );
  if (steps.length === 0)
    return (
      <p role="status" className="text-[0.8125rem] text-muted-foreground">
        {read.isFetching ? 'Loading steps…' : noStepsText(turnState, messages.length > 0)}
      </p>
    );
  return (
    <div className="grid min-w-0 gap-1.5">
      <p className="text-xs font-medium text-muted-foreground">Steps</p>
      <ol aria-label="Steps of the sub-agent" className="grid min-w-0 gap-2">
        {steps.map((step) => (
          <li key={step.id} className="grid min-w-0 gap-2">
            {step.text !== '' && (
              <p className="text-[0.8125rem] leading-relaxed whitespace-pre-wrap text-muted-foreground [overflow-wrap:anywhere]">
                {step.text}
              </p>
            )}
            {step.calls.map((call) => (
              <Inner
                key={call.id}
                call={call}
                result={results.get(call.id)}
                turnState={turnState}
                namespace={namespace}
                startsOpen={false}
              />
            ))}
          </li>
        ))}
      </ol>
    </div>
  );
}

function noStepsText(turnState: CallCardProps['turnState'], isKnown: boolean): string {
  if (turnState !== 'over') return 'No tools used yet.';
  return isKnown ? 'No tools used.' : 'No steps recorded.';
}
