// The shared parts of the cards of calls: the frame, the state of the call, and one of its texts.
import { Check, ChevronRight, CirclePause, CircleSlash, TriangleAlert } from 'lucide-react';
import { Collapsible } from 'radix-ui';
import { type ReactNode, useState } from 'react';
import type { ToolCallView, ToolResultView } from '../conversation/message-view.ts';
import { toolWords } from '../conversation/tool-words.ts';
import { usePrinting } from '../print/printing.tsx';
import { cn } from '../ui/cn.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { Spinner } from '../ui/spinner.tsx';

export type CallState = 'running' | 'waiting' | 'success' | 'error' | 'stopped';

export interface CallCardProps {
  readonly call: ToolCallView;
  readonly result: ToolResultView | undefined;
  /** The state of calls that have no result. */
  readonly turnState: 'running' | 'waiting' | 'over';
  /** The namespace of the calling agent. Empty for the lead agent. */
  readonly namespace: string;
  /** Whether the details are open at first, as in the lead agent's newest turn. */
  readonly startsOpen: boolean;
}

/** The meanings of the marks. */
export const STATE_WORDS: Readonly<Record<CallState, string>> = {
  running: 'running',
  waiting: 'waiting for you',
  success: 'done',
  error: 'failed',
  stopped: 'stopped',
};

export function CallMark({ state }: { readonly state: CallState }) {
  const size = 'size-4 shrink-0';
  if (state === 'running') return <Spinner className={`${size} text-primary`} />;
  if (state === 'success') return <Check aria-hidden className={`${size} text-success`} />;
  if (state === 'error') return <TriangleAlert aria-hidden className={`${size} text-danger`} />;
  if (state === 'waiting') return <CirclePause aria-hidden className={`${size} text-primary`} />;
  return <CircleSlash aria-hidden className={`${size} text-muted-foreground`} />;
}

interface CallTextProps {
  readonly title: string;
  readonly text: string;
  readonly kind?: 'code' | 'prose';
}

export function CallText({ title, text, kind = 'code' }: CallTextProps) {
  return (
    <div className="min-w-0">
      <div className="flex min-h-8 items-center justify-between">
        <p className="text-xs font-medium text-muted-foreground">{title}</p>
        <CopyButton text={text} label={`Copy: ${title.toLowerCase()}`} className="-mr-1.5" />
      </div>
      <ScrollingText text={text === '' ? '(empty)' : text} kind={kind} />
    </div>
  );
}

interface ScrollingTextProps {
  readonly text: string;
  readonly kind?: 'code' | 'prose';
}

export function ScrollingText({ text, kind = 'code' }: ScrollingTextProps) {
  return (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a text that scrolls must be reachable by keyboard.
      tabIndex={0}
      className={cn(
        'max-h-72 overflow-auto rounded-lg bg-code p-3 leading-relaxed whitespace-pre-wrap',
        '[overflow-wrap:anywhere] focus-visible:-outline-offset-2',
        kind === 'code' ? 'font-mono text-[0.8125rem]' : 'font-sans text-sm',
      )}
    >
      {text}
    </pre>
  );
}

export function callStateOf(
  result: CallCardProps['result'],
  turnState: CallCardProps['turnState'],
): CallState {
  return result?.status ?? (turnState === 'over' ? 'stopped' : turnState);
}

interface ToolFrameProps {
  readonly name: string;
  /** Replaces the description of the tool. */
  readonly title?: string | undefined;
  readonly state: CallState;
  readonly summary: string;
  /** Shown at the end of the line: a count, or how the call ended. */
  readonly badge?: ReactNode;
  readonly isOpenAtFirst?: boolean;
  readonly children: ReactNode;
}

export function ToolFrame(props: ToolFrameProps) {
  const { name, title = toolWords(name), state, summary, badge, isOpenAtFirst = false, children } = props;
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const isPrinting = usePrinting();
  return (
    <Collapsible.Root
      open={isOpen || isPrinting}
      onOpenChange={setOpen}
      data-tool={name}
      data-tool-state={state}
      className="min-w-0 overflow-hidden rounded-xl border border-border bg-surface"
    >
      <Collapsible.Trigger className="group flex w-full items-center gap-2.5 px-3.5 py-2.5 text-left text-sm pointer-coarse:min-h-10 hover:bg-accent focus-visible:-outline-offset-2">
        <CallMark state={state} />
        <span className="max-w-[60%] shrink-0 truncate text-[0.8125rem] font-medium">{title}</span>
        <span className="sr-only">{STATE_WORDS[state]}</span>
        <span className="min-w-0 flex-1 truncate text-[0.8125rem] text-muted-foreground">{summary}</span>
        {badge !== undefined && (
          <span className="flex shrink-0 items-center gap-1.5 text-xs text-muted-foreground tabular-nums">
            {badge}
          </span>
        )}
        <ChevronRight
          aria-hidden
          className="size-4 shrink-0 text-muted-foreground transition-transform group-data-[state=open]:rotate-90"
        />
      </Collapsible.Trigger>
      <Collapsible.Content className="min-w-0 border-t border-border">{children}</Collapsible.Content>
    </Collapsible.Root>
  );
}
