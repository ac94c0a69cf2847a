// The call of a sub-agent: its task, its current action, and on request all of its steps and its reply.
import { useQuery } from '@tanstack/react-query';
import { ChevronRight } from 'lucide-react';
import { Collapsible } from 'radix-ui';
import { type ComponentType, useState } from 'react';
import { type MessageView, readMessage, type ToolCallView } from '../conversation/message-view.ts';
import { useTaskProgress } from '../conversation/run-progress.ts';
import {
  innerNamespace,
  mergedMessages,
  type TaskProgress,
  taskOf,
  workOf,
} from '../conversation/subagents.ts';
import { callSummary, toolWords } from '../conversation/tool-words.ts';
import { useTurnActions } from '../conversation/turn-actions.ts';
import { Markdown } from '../markdown/lazy-markdown.tsx';
import { usePrinting } from '../print/printing.tsx';
import { useServices } from '../services/services.tsx';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { type CallCardProps, CallMark, type CallState, CallText, STATE_WORDS } from './tool-frame.tsx';

/** The common beginning of all paths of a thread, removed because space is short. */
const DATA_HOME = /^\/mnt\/user-data\//;

type InnerCall = ComponentType<CallCardProps>;

/** `Inner` shows the tool calls of the sub-agent. */
export function SubagentCard({
  call,
  result,
  turnState,
  namespace,
  Inner,
}: CallCardProps & { readonly Inner: InnerCall }) {
  const progress = useTaskProgress(call.id);
  const state = result?.status ?? stateOf(progress, turnState);
  const steps = result?.steps ?? progress?.steps ?? 0;
  const [isOpen, setOpen] = useState(false);
  const isPrinting = usePrinting();
  return (
    <Collapsible.Root
      open={isOpen || isPrinting}
      onOpenChange={setOpen}
      data-tool={call.name}
      data-tool-state={state}
      className="min-w-0 overflow-hidden rounded-xl border border-border bg-surface"
    >
      <Collapsible.Trigger className="group grid w-full grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-x-2.5 gap-y-0.5 px-3.5 py-2.5 text-left text-sm hover:bg-accent focus-visible:-outline-offset-2">
        <CallMark state={state} />
        <span className="truncate font-medium">{taskOf(call)}</span>
        <span className="flex items-center gap-2.5 text-muted-foreground">
          {steps > 0 && <Count steps={steps} />}
          <ChevronRight
            aria-hidden
            className="size-4 transition-transform group-data-[state=open]:rotate-90"
          />
        </span>
        <span className="col-span-2 col-start-2 flex min-w-0 gap-1.5 text-[0.8125rem] text-muted-foreground">
          <span className="shrink-0">Sub-agent</span>
          <span aria-hidden>·</span>
          <Doing state={state} call={progress?.lastCall} />
        </span>
      </Collapsible.Trigger>
      <Collapsible.Content className="grid min-w-0 gap-3 border-t border-border px-3.5 py-3">
        {hasMoreToSay(call) && <CallText title="Task" text={String(call.args.prompt)} kind="prose" />}
        {/* Not while printing: the steps would have to be fetched first, and printing does not wait. */}
        {isOpen && (
          <SubagentSteps
            namespace={innerNamespace(namespace, call.id)}
            state={state}
            streamed={progress?.messages ?? []}
            Inner={Inner}
          />
        )}
        {result?.status === 'error' && <CallText title="Error" text={result.text} kind="prose" />}
        {result?.status === 'success' && <ReplyText text={result.text} />}
      </Collapsible.Content>
    </Collapsible.Root>
  );
}

/** Whether the prompt contains more than the title of the card. */
function hasMoreToSay({ args }: ToolCallView): boolean {
  return typeof args.prompt === 'string' && args.prompt !== args.description;
}

/** Returns the state of the call. A sub-agent may finish before the other calls of its step. */
function stateOf(progress: TaskProgress | undefined, turnState: CallCardProps['turnState']): CallState {
  if (turnState === 'over') return 'stopped';
  switch (progress?.status) {
    case 'completed':
      return 'success';
    case 'failed':
    case 'timed_out':
      return 'error';
    case 'cancelled':
      return 'stopped';
    default:
      return turnState;
  }
}

interface DoingProps {
  readonly state: CallState;
  readonly call: ToolCallView | undefined;
}

/** Shows the last action of the sub-agent while it works, and its outcome afterwards. */
function Doing({ state, call }: DoingProps) {
  const isAtWork = state === 'running' || state === 'waiting';
  if (!isAtWork || call === undefined) return <span>{STATE_WORDS[state]}</span>;
  return (
    <>
      <span className="sr-only">{STATE_WORDS[state]}</span>
      <span key={call.id} className="min-w-0 animate-fade truncate">
        {toolWords(call.name)} {callSummary(call).replace(DATA_HOME, '')}
      </span>
    </>
  );
}

function Count({ steps }: { readonly steps: number }) {
  return (
    <span className="text-xs tabular-nums">
      {steps} {steps === 1 ? 'step' : 'steps'}
    </span>
  );
}

function ReplyText({ text }: { readonly text: string }) {
  return (
    <div data-compact className="grid min-w-0 gap-1.5">
      <p className="text-xs font-medium text-muted-foreground">Answer</p>
      <Markdown text={text} isWriting={false} />
    </div>
  );
}

interface SubagentStepsProps {
  readonly namespace: string;
  /** The state of the call that started the sub-agent. */
  readonly state: CallState;
  /** The messages of the sub-agent that the stream delivered since the page was opened. */
  readonly streamed: readonly MessageView[];
  readonly Inner: ComponentType<CallCardProps>;
}

function SubagentSteps({ namespace, state, streamed, Inner }: SubagentStepsProps) {
  const { api } = useServices();
  const { threadId } = useTurnActions();
  const read = useQuery({
    // The state is part of the key, so that the steps are read again when the sub-agent has finished.
    queryKey: ['subagent', threadId, namespace, state],
    queryFn: async () => {
      const messages = threadId === undefined ? [] : await api.messagesOfAgent(threadId, namespace);
      return messages.map(readMessage).filter((it) => it !== undefined);
    },
    placeholderData: (before) => before,
  });
  const messages = mergedMessages(read.data ?? [], streamed);
  const { steps, results } = workOf(messages);
  const turnState = state === 'running' || state === 'waiting' ? state : 'over';
  if (read.isError)
    return (
      <Notice
        tone="danger"
        actions={
          <Button variant="secondary" size="small" onClick={() => void read.refetch().catch(reportError)}>
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
