// The frame of a page, its sections, its empty state, and the button that opens the drawer.
import { type LucideIcon, Menu as MenuIcon } from 'lucide-react';
import { createContext, type ReactNode, useContext, useEffect } from 'react';
import { Button } from './button.tsx';

export const DrawerContext = createContext<() => void>(() => {});

export function useOpenDrawer(): () => void {
  return useContext(DrawerContext);
}

interface AppPageProps {
  readonly title: string;
  /** Shown before the heading, such as a button back. */
  readonly before?: ReactNode;
  /** A button at the end of the heading. */
  readonly action?: ReactNode;
  readonly children: ReactNode;
}

export function AppPage({ title, before, action, children }: AppPageProps) {
  const openDrawer = useOpenDrawer();
  useEffect(() => {
    document.title = `${title} · Agent Service`;
  }, [title]);
  return (
    <main id="main" className="relative flex min-w-0 flex-1 flex-col overflow-y-auto">
      <header className="flex h-14 shrink-0 items-center gap-1 border-b border-border px-2 md:h-13 md:px-6">
        <Button
          variant="quiet"
          size="icon"
          aria-label="Open chats"
          onClick={openDrawer}
          className="md:hidden"
        >
          <MenuIcon />
        </Button>
        {before}
        <h1 className="min-w-0 flex-1 truncate px-1 text-[0.9375rem] font-semibold tracking-tight">
          {title}
        </h1>
        {action}
      </header>
      <div className="mx-auto grid w-full max-w-3xl gap-5 p-4 md:p-6">{children}</div>
    </main>
  );
}

interface PageSectionProps {
  readonly title: string;
  readonly lead?: ReactNode;
  /** Shown at the end of the heading. */
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

interface EmptyStateProps {
  readonly icon: LucideIcon;
  /** Says that the list is empty, and what the person can do about it. */
  readonly children: ReactNode;
}

export function EmptyState({ icon: Icon, children }: EmptyStateProps) {
  return (
    <div className="grid justify-items-center gap-2 rounded-xl border border-dashed border-border p-10 text-center text-sm text-balance text-muted-foreground">
      <Icon aria-hidden className="size-5" />
      {children}
    </div>
  );
}
