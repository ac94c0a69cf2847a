// Something went wrong: the sentence, and perhaps a button.
import { CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';

export function Notice({ children, action }: { children: ReactNode; action?: ReactNode }) {
  return (
    <div
      role="alert"
      className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-xl border border-danger/40 bg-danger-soft px-3.5 py-2.5 text-sm text-danger"
    >
      <CircleAlert aria-hidden className="size-4 shrink-0" />
      <p className="min-w-0 flex-1 basis-48 [overflow-wrap:anywhere]">{children}</p>
      {action}
    </div>
  );
}
