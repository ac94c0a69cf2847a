// The frame of the screens before the chat: sign in, register, set up.
import type { ReactNode } from 'react';
import { Logo } from '../logo.tsx';

interface AuthCardProps {
  readonly title: string;
  readonly lead: ReactNode;
  readonly children: ReactNode;
  readonly footer?: ReactNode;
}

export function AuthCard({ title, lead, children, footer }: AuthCardProps) {
  return (
    <main className="grid h-full place-items-center overflow-y-auto bg-sidebar p-4">
      <div className="w-full max-w-[25rem] py-8">
        <div className="rounded-2xl border border-border bg-surface p-6 shadow-soft sm:p-8">
          <Logo className="size-9" />
          <h1 className="mt-5 text-xl font-semibold tracking-tight">{title}</h1>
          <p className="mt-1.5 text-sm leading-relaxed text-muted-foreground">{lead}</p>
          <div className="mt-6">{children}</div>
        </div>
        {footer !== undefined && <p className="mt-2.5 text-center text-sm text-muted-foreground">{footer}</p>}
      </div>
    </main>
  );
}
