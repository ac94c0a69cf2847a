// The frame of the settings: what they are called, the way from one page to the next, and the page.
import { Link } from '@tanstack/react-router';
import { Menu as MenuIcon } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { useOpenDrawer } from '../drawer-context.ts';
import { Button } from '../ui/button.tsx';

/** Every page of the settings, as the navigation lists them. */
const PAGES = [
  { to: '/settings/account', label: 'Account' },
  { to: '/settings/api-keys', label: 'API keys' },
  { to: '/settings/usage', label: 'Usage' },
] as const;

interface SettingsPageProps {
  readonly title: (typeof PAGES)[number]['label'];
  /** A button at the end of the heading. */
  readonly action?: ReactNode;
  readonly children: ReactNode;
}

export function SettingsPage({ title, action, children }: SettingsPageProps) {
  const openDrawer = useOpenDrawer();
  useEffect(() => {
    document.title = `${title} · Agent Service`;
  }, [title]);
  return (
    <main id="main" className="flex min-w-0 flex-1 flex-col overflow-y-auto">
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
        <h1 className="min-w-0 flex-1 truncate px-1 text-[0.9375rem] font-semibold tracking-tight">
          {title}
        </h1>
        {action}
      </header>
      <div className="mx-auto grid w-full max-w-3xl gap-5 p-4 md:p-6">
        <nav aria-label="Settings" className="-mx-1 flex flex-wrap gap-1">
          {PAGES.map(({ to, label }) => (
            <Link
              key={to}
              to={to}
              className="rounded-lg px-3 py-1.5 text-sm font-medium pointer-coarse:py-2.5 text-muted-foreground hover:bg-accent hover:text-foreground data-[status=active]:bg-accent data-[status=active]:text-foreground"
            >
              {label}
            </Link>
          ))}
        </nav>
        {children}
      </div>
    </main>
  );
}

/** A part of a page under its own heading. */
export function SettingsSection({
  title,
  lead,
  children,
}: {
  readonly title: string;
  readonly lead: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <section aria-label={title} className="grid gap-3 rounded-xl border border-border bg-surface p-4 md:p-5">
      <div className="grid gap-1">
        <h2 className="text-[0.9375rem] font-semibold tracking-tight">{title}</h2>
        <p className="text-sm leading-relaxed text-muted-foreground">{lead}</p>
      </div>
      {children}
    </section>
  );
}
