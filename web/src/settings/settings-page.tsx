// The frame of the settings pages, with their navigation.
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { AppPage } from '../ui/page.tsx';

/** All settings pages, in the order of the navigation. */
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
  return (
    <AppPage title={title} action={action}>
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
    </AppPage>
  );
}
