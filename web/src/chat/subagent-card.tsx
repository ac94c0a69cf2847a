// The call of a sub-agent: its task, what it is doing, and on request all of its steps and its answer.
import { ChevronRight } from 'lucide-react';
import { Collapsible } from 'radix-ui';
import { type ComponentType, useState } from 'react';
import { Markdown } from '../markdown/lazy-markdown.tsx';
import { usePrinting } from '../print/printing.tsx';
import { toolWords } from '../tool-cards/tool-words.ts';
import { callSummary } from './call-summary.ts';
import { type CallCardProps, CallMark, type CallState, CallText, STATE_WORDS } from './call-view.tsx';
import type { ToolCallView } from './message-view.ts';
import { innerNamespace, taskOf } from './subagent.ts';
import type { TaskProgress } from './subagent-progress.ts';
import { SubagentSteps } from './subagent-steps.tsx';
import { useTaskProgress } from './use-task-progress.ts';

/** Every path of a thread begins with it, and a line is short. */
const DATA_HOME = /^\/mnt\/user-data\//;

type InnerCall = ComponentType<CallCardProps>;

/** `Inner` shows the calls of the sub-agent itself. */
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
        {/* Steps that were not asked for would have to be read first, and paper does not wait. */}
        {isOpen && (
          <SubagentSteps
            namespace={innerNamespace(namespace, call.id)}
            state={state}
            told={progress?.messages ?? []}
            Inner={Inner}
          />
        )}
        {result?.status === 'error' && <CallText title="Error" text={result.text} kind="prose" />}
        {result?.status === 'success' && <Answer text={result.text} />}
      </Collapsible.Content>
    </Collapsible.Root>
  );
}

/** Whether the prompt says more than the title of the card. */
function hasMoreToSay({ args }: ToolCallView): boolean {
  return typeof args.prompt === 'string' && args.prompt !== args.description;
}

/** It may be done before the others of its step are. */
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

/** The last thing that it did while it is at work, else how it went. */
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

function Answer({ text }: { readonly text: string }) {
  return (
    <div data-compact className="grid min-w-0 gap-1.5">
      <p className="text-xs font-medium text-muted-foreground">Answer</p>
      <Markdown text={text} isWriting={false} />
    </div>
  );
}
