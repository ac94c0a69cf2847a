// The frame of every question on which a run waits.
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import { Spinner } from '../ui/spinner.tsx';

interface WaitingFrameProps {
  readonly icon: LucideIcon;
  /** The kind of question, for screen readers. */
  readonly label: string;
  readonly title: ReactNode;
  /** The task of the sub-agent that asks. Undefined when the lead agent asks. */
  readonly askingTask?: string | undefined;
  /** True while an answer is being sent. All controls are then disabled. */
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

interface SubmitOrCancelProps {
  readonly variant?: 'primary' | 'danger';
  readonly onCancel: () => void;
  /** The label of the submit button. */
  readonly children: ReactNode;
}

export function SubmitOrCancel({ variant = 'primary', onCancel, children }: SubmitOrCancelProps) {
  return (
    <div className="flex flex-wrap gap-2">
      <Button type="submit" size="small" variant={variant}>
        {children}
      </Button>
      <Button variant="ghost" size="small" onClick={onCancel}>
        Cancel
      </Button>
    </div>
  );
}
