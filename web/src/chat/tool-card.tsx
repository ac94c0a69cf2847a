// One call of a tool: what it does, how it went, and on request the details.
import { ChevronRight } from 'lucide-react';
import { Collapsible } from 'radix-ui';
import { callSummary } from './call-summary.ts';
import { type CallCardProps, CallMark, CallText, STATE_WORDS } from './call-view.tsx';

export function ToolCard({ call, result, turnState }: CallCardProps) {
  const state = result?.status ?? (turnState === 'over' ? 'stopped' : turnState);
  return (
    <Collapsible.Root
      data-tool={call.name}
      data-tool-state={state}
      className="min-w-0 overflow-hidden rounded-xl border border-border bg-surface"
    >
      <Collapsible.Trigger className="group flex w-full items-center gap-2.5 px-3.5 py-2.5 text-left text-sm hover:bg-accent focus-visible:-outline-offset-2">
        <CallMark state={state} />
        <span className="shrink-0 font-mono text-[0.8125rem] font-medium">{call.name}</span>
        <span className="sr-only">{STATE_WORDS[state]}</span>
        <span className="min-w-0 flex-1 truncate text-[0.8125rem] text-muted-foreground">
          {callSummary(call)}
        </span>
        <ChevronRight
          aria-hidden
          className="size-4 shrink-0 text-muted-foreground transition-transform group-data-[state=open]:rotate-90"
        />
      </Collapsible.Trigger>
      <Collapsible.Content className="grid min-w-0 gap-3 border-t border-border px-3.5 py-3">
        <CallText title="Arguments" text={JSON.stringify(call.args, null, 2)} />
        {result !== undefined && (
          <CallText title={result.status === 'error' ? 'Error' : 'Result'} text={result.text} />
        )}
      </Collapsible.Content>
    </Collapsible.Root>
  );
}
