// A short message in a tinted box: an error, a warning, or information.
import { CircleAlert, Info } from 'lucide-react';
import type { ReactNode } from 'react';
import { cn } from './cn.ts';

const TONES = {
  danger: 'border-danger-border bg-danger-soft text-danger',
  warning: 'border-warning-border bg-warning-soft text-warning',
  neutral: 'border-border bg-muted text-muted-foreground',
} as const;

interface NoticeProps {
  readonly tone: keyof typeof TONES;
  readonly children: ReactNode;
  /** Buttons, shown at the end of the line. */
  readonly actions?: ReactNode;
  readonly className?: string;
}

export function Notice({ tone, children, actions, className }: NoticeProps) {
  const Icon = tone === 'danger' ? CircleAlert : Info;
  return (
    <div
      role={tone === 'danger' ? 'alert' : 'status'}
      className={cn(
        'flex flex-wrap items-center gap-x-3 gap-y-2 rounded-xl border px-3.5 py-2.5 text-sm',
        TONES[tone],
        className,
      )}
    >
      <Icon aria-hidden className="size-4 shrink-0" />
      <div className="min-w-0 flex-1 basis-48 [overflow-wrap:anywhere]">{children}</div>
      {actions}
    </div>
  );
}
