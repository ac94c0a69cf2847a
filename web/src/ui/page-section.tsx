// A part of a page under its own heading.
import type { ReactNode } from 'react';

interface PageSectionProps {
  readonly title: string;
  readonly lead?: ReactNode;
  /** At the end of the heading. */
  readonly action?: ReactNode;
  readonly children: ReactNode;
}

export function PageSection({ title, lead, action, children }: PageSectionProps) {
  return (
    <section
      aria-label={title}
      className="grid min-w-0 grid-cols-1 gap-3 rounded-xl border border-border bg-surface p-4 md:p-5"
    >
      <div className="grid gap-1">
        <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
          <h2 className="text-[0.9375rem] font-semibold tracking-tight">{title}</h2>
          {action}
        </div>
        {lead !== undefined && <p className="text-sm leading-relaxed text-muted-foreground">{lead}</p>}
      </div>
      {children}
    </section>
  );
}
