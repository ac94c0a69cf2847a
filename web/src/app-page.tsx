// The frame of a page beside the chats: its heading, the way to the drawer, and a column for the content.
import { Menu as MenuIcon } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { useOpenDrawer } from './drawer-context.ts';
import { Button } from './ui/button.tsx';

interface AppPageProps {
  readonly title: string;
  /** Before the heading: the way back. */
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
          look="quiet"
          size="icon"
          aria-label="Open the chats"
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
