// The frame of what asks a person while a run waits.
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { Spinner } from '../ui/spinner.tsx';

interface WaitingFrameProps {
  readonly icon: LucideIcon;
  /** What kind of question this is, for people who do not see the frame. */
  readonly label: string;
  readonly title: ReactNode;
  /** An answer is on its way: nothing can be pressed. */
  readonly isSending: boolean;
  readonly children: ReactNode;
}

export function WaitingFrame({ icon: Icon, label, title, isSending, children }: WaitingFrameProps) {
  return (
    <fieldset
      disabled={isSending}
      aria-busy={isSending}
      data-waiting
      className="grid min-w-0 animate-fade gap-4 rounded-xl border border-primary/45 bg-surface p-4 shadow-soft sm:p-5"
    >
      <legend className="sr-only">{label}</legend>
      <div className="flex items-center gap-2.5">
        <Icon aria-hidden className="size-5 shrink-0 text-primary" />
        <h3 className="min-w-0 flex-1 text-[0.9375rem] font-semibold tracking-tight text-balance">{title}</h3>
        {isSending && <Spinner className="text-primary" />}
      </div>
      {children}
    </fieldset>
  );
}
