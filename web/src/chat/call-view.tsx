// What every card of a call shows: how the call went, and one of its texts.
import { Check, CirclePause, CircleSlash, TriangleAlert } from 'lucide-react';
import { CopyButton } from '../ui/copy-button.tsx';
import { Spinner } from '../ui/spinner.tsx';
import type { ToolCallView, ToolResultView } from './message-view.ts';
import { ScrollingText } from './scrolling-text.tsx';

export type CallState = 'running' | 'waiting' | 'success' | 'error' | 'stopped';

export interface CallCardProps {
  readonly call: ToolCallView;
  readonly result: ToolResultView | undefined;
  /** What becomes of calls without a result. */
  readonly turnState: 'running' | 'waiting' | 'over';
  /** The namespace of the agent that calls; empty for the lead agent. */
  readonly namespace: string;
  /** Whether what it did is shown without being asked for: of the lead agent's newest turn. */
  readonly startsOpen: boolean;
}

/** What the marks mean. */
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
