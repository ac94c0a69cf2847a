// One call of a tool: what it does, how it went, and on request the details.
import { Check, ChevronRight, CirclePause, CircleSlash, TriangleAlert } from 'lucide-react';
import { Collapsible } from 'radix-ui';
import { CopyButton } from '../ui/copy-button.tsx';
import { Spinner } from '../ui/spinner.tsx';
import type { ToolCallView, ToolResultView } from './message-view.ts';
import { ScrollingText } from './scrolling-text.tsx';

type ToolState = 'running' | 'waiting' | 'success' | 'error' | 'stopped';

interface ToolCardProps {
  readonly call: ToolCallView;
  readonly result: ToolResultView | undefined;
  /** What becomes of calls without a result. */
  readonly turnState: 'running' | 'waiting' | 'over';
}

const STATE_WORDS: Readonly<Record<ToolState, string>> = {
  running: 'running',
  waiting: 'waiting for you',
  success: 'done',
  error: 'failed',
  stopped: 'stopped',
};

export function ToolCard({ call, result, turnState }: ToolCardProps) {
  const state = result?.status ?? (turnState === 'over' ? 'stopped' : turnState);
  const summary = summaryOf(call);
  return (
    <Collapsible.Root
      data-tool={call.name}
      data-tool-state={state}
      className="min-w-0 overflow-hidden rounded-xl border border-border bg-surface"
    >
      <Collapsible.Trigger className="group flex w-full items-center gap-2.5 px-3.5 py-2.5 text-left text-sm hover:bg-accent focus-visible:-outline-offset-2">
        <StateMark state={state} />
        <span className="shrink-0 font-mono text-[0.8125rem] font-medium">{call.name}</span>
        <span className="sr-only">{STATE_WORDS[state]}</span>
        <span className="min-w-0 flex-1 truncate text-[0.8125rem] text-muted-foreground">{summary}</span>
        <ChevronRight
          aria-hidden
          className="size-4 shrink-0 text-muted-foreground transition-transform group-data-[state=open]:rotate-90"
        />
      </Collapsible.Trigger>
      <Collapsible.Content className="grid min-w-0 gap-3 border-t border-border px-3.5 py-3">
        <Section title="Arguments" text={JSON.stringify(call.args, null, 2)} />
        {result !== undefined && (
          <Section title={result.status === 'error' ? 'Error' : 'Result'} text={result.text} />
        )}
      </Collapsible.Content>
    </Collapsible.Root>
  );
}

function StateMark({ state }: { readonly state: ToolState }) {
  const size = 'size-4 shrink-0';
  if (state === 'running') return <Spinner className={`${size} text-primary`} />;
  if (state === 'success') return <Check aria-hidden className={`${size} text-success`} />;
  if (state === 'error') return <TriangleAlert aria-hidden className={`${size} text-danger`} />;
  if (state === 'waiting') return <CirclePause aria-hidden className={`${size} text-primary`} />;
  return <CircleSlash aria-hidden className={`${size} text-muted-foreground`} />;
}

function Section({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <div className="min-w-0">
      <div className="flex h-8 items-center justify-between">
        <p className="text-xs font-medium text-muted-foreground">{title}</p>
        <CopyButton text={text} label={`Copy: ${title.toLowerCase()}`} className="-mr-1.5" />
      </div>
      <ScrollingText text={text === '' ? '(empty)' : text} />
    </div>
  );
}

const TELLING = ['path', 'file_path', 'description', 'query', 'command', 'url', 'question'];

/** The one argument that says the most. */
function summaryOf({ args }: ToolCallView): string {
  const path = args.path ?? args.file_path;
  if (typeof path === 'string') return path;
  const named = TELLING.map((name) => args[name]).find((value) => typeof value === 'string');
  const any = named ?? Object.values(args).find((value) => typeof value === 'string');
  return typeof any === 'string' ? any : '';
}
