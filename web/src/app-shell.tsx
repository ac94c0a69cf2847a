// The frame of the signed-in app: the sidebar (on phones a drawer), and the screen beside it.
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet } from '@tanstack/react-router';
import { BookOpen, Bot, Brain, CalendarClock, Plug, SquarePen } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { useEffect, useRef, useState } from 'react';
import { AccountMenu } from './auth/account-menu.tsx';
import { meQuery } from './auth/session.ts';
import { ScheduleNews } from './schedules/schedule-news.tsx';
import { useServices } from './services/services.tsx';
import { useFollowedThreads } from './threads/follow-threads.ts';
import { ThreadList } from './threads/thread-list.tsx';
import { Logo } from './ui/logo.tsx';
import { DrawerContext } from './ui/page.tsx';

/** The pages besides the chats. */
const PAGES = [
  { to: '/agents', label: 'Agents', Icon: Bot },
  { to: '/memory', label: 'Memory', Icon: Brain },
  { to: '/schedules', label: 'Schedules', Icon: CalendarClock },
  { to: '/skills', label: 'Skills', Icon: BookOpen },
  { to: '/tool-servers', label: 'Tool servers', Icon: Plug },
] as const;

export function AppShell() {
  const [isDrawerOpen, setDrawerOpen] = useState(false);
  const drawer = useRef<HTMLDivElement>(null);
  useOpenOutbox();
  useFollowedThreads();
  useEffect(() => {
    const wide = matchMedia('(min-width: 48rem)');
    const close = () => setDrawerOpen(false);
    wide.addEventListener('change', close);
    return () => wide.removeEventListener('change', close);
  }, []);
  const openDrawer = () => setDrawerOpen(true);
  const closeDrawer = () => setDrawerOpen(false);
  return (
    <DrawerContext value={openDrawer}>
      <a
        href="#main"
        className="fixed top-2 left-2 z-50 -translate-y-16 rounded-lg bg-primary px-3 py-2 text-sm font-medium text-primary-foreground focus:translate-y-0"
      >
        Skip to the conversation
      </a>
      <div className="flex h-dvh">
        <aside
          aria-label="Sidebar"
          className="hidden w-72 shrink-0 flex-col border-r border-border bg-sidebar md:flex"
        >
          <Sidebar onOpen={closeDrawer} />
        </aside>
        <Outlet />
      </div>
      <Dialog.Root open={isDrawerOpen} onOpenChange={setDrawerOpen}>
        <Dialog.Portal>
          <Dialog.Overlay className="fixed inset-0 z-40 animate-fade bg-black/45 md:hidden" />
          <Dialog.Content
            ref={drawer}
            aria-describedby={undefined}
            tabIndex={-1}
            onOpenAutoFocus={(event) => {
              // Focusing the first field, the search box, would open a phone's keyboard.
              event.preventDefault();
              drawer.current?.focus();
            }}
            className="fixed inset-y-0 left-0 z-50 flex w-[min(20rem,85vw)] animate-slide flex-col border-r outline-hidden border-border bg-sidebar shadow-float md:hidden"
          >
            <Dialog.Title className="sr-only">Chats</Dialog.Title>
            <Sidebar onOpen={closeDrawer} />
          </Dialog.Content>
        </Dialog.Portal>
      </Dialog.Root>
    </DrawerContext>
  );
}

/** Opens the outbox of the signed-in person, with messages from before an earlier session ended. */
function useOpenOutbox(): void {
  const { api, outbox } = useServices();
  const userId = useQuery(meQuery(api)).data?.id;
  useEffect(() => outbox.open(userId), [outbox, userId]);
}

function Sidebar({ onOpen }: { readonly onOpen: () => void }) {
  return (
    <>
      <div className="flex items-center gap-2.5 px-5 pt-4 pb-3">
        <Logo className="size-6" />
        <span className="font-semibold tracking-tight">Agent Service</span>
      </div>
      <div className="px-3 pb-2">
        <Link
          to="/"
          onClick={onOpen}
          className="flex h-9 items-center gap-2.5 rounded-lg border pointer-coarse:h-10 border-border bg-surface px-3 text-sm font-medium shadow-xs transition-colors hover:bg-accent"
        >
          <SquarePen aria-hidden className="size-4 text-primary" />
          New chat
        </Link>
        <nav aria-label="Tools of the agent" className="mt-1.5 grid">
          {PAGES.map(({ to, label, Icon }) => (
            <Link
              key={to}
              to={to}
              onClick={onOpen}
              className="flex h-8 items-center gap-2.5 rounded-lg px-3 text-sm text-muted-foreground transition-colors pointer-coarse:h-10 hover:bg-accent hover:text-foreground data-[status=active]:bg-accent data-[status=active]:text-foreground"
            >
              <Icon aria-hidden className="size-4" />
              {label}
              {to === '/schedules' && <ScheduleNews />}
            </Link>
          ))}
        </nav>
      </div>
      <ThreadList onOpen={onOpen} />
      <div className="border-t border-border p-2 pb-[max(0.5rem,env(safe-area-inset-bottom))]">
        <AccountMenu onOpen={onOpen} />
      </div>
    </>
  );
}
