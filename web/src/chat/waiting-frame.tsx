// The frame of what asks a person while a run waits.
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { Spinner } from '../ui/spinner.tsx';

interface WaitingFrameProps {
  readonly icon: LucideIcon;
  /** What kind of question this is, for people who do not see the frame. */
  readonly label: string;
  readonly title: ReactNode;
  /** The task of the sub-agent that asks; undefined when it is the agent itself. */
  readonly askingTask?: string | undefined;
  /** An answer is on its way: nothing can be pressed. */
  readonly isSending: boolean;
  readonly children: ReactNode;
}

export function WaitingFrame(props: WaitingFrameProps) {
  const { icon: Icon, label, title, askingTask, isSending, children } = props;
  return (
    <fieldset
      disabled={isSending}
      aria-busy={isSending}
      data-waiting
      className="grid min-w-0 animate-fade gap-4 rounded-xl border border-primary/45 bg-surface p-4 shadow-soft sm:p-5"
    >
      <legend className="sr-only">{label}</legend>
      <div className="flex items-start gap-2.5">
        <Icon aria-hidden className="mt-px size-5 shrink-0 text-primary" />
        <div className="min-w-0 flex-1">
          <h3 className="text-[0.9375rem] font-semibold tracking-tight text-balance">{title}</h3>
          {askingTask !== undefined && (
            <p className="text-[0.8125rem] text-muted-foreground [overflow-wrap:anywhere]">
              For the sub-agent: {askingTask}
            </p>
          )}
        </div>
        {isSending && <Spinner className="text-primary" />}
      </div>
      {children}
    </fieldset>
  );
}
