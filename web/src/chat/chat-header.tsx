// The line above a conversation: its title, and on phones the ways to the other chats.
import { Link } from '@tanstack/react-router';
import { Menu as MenuIcon, SquarePen } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { useOpenDrawer } from '../drawer-context.ts';
import { FilesButton } from '../files/files-button.tsx';
import { useThreadTitle } from '../threads/thread-queries.ts';
import { Button } from '../ui/button.tsx';

interface ChatHeaderProps {
  readonly threadId: string | undefined;
  /** As the conversation itself knows it; the list knows a new title first. */
  readonly title: string | undefined;
  /** Before the buttons. */
  readonly children?: ReactNode;
}

export function ChatHeader({ threadId, title, children }: ChatHeaderProps) {
  const openDrawer = useOpenDrawer();
  // A title may be empty, too.
  const known = useThreadTitle(threadId) || title || undefined;
  useEffect(() => {
    document.title = known === undefined ? 'Agent Service' : `${known} · Agent Service`;
  }, [known]);
  return (
    <header className="flex h-14 shrink-0 items-center gap-1 border-b border-border px-2 md:h-13 md:px-6">
      <Button look="quiet" size="icon" aria-label="Open the chats" onClick={openDrawer} className="md:hidden">
        <MenuIcon />
      </Button>
      <h1 className="min-w-0 flex-1 truncate px-1 text-[0.9375rem] font-semibold tracking-tight">
        {known ?? 'New chat'}
      </h1>
      {children}
      {threadId !== undefined && <FilesButton />}
      <Link
        to="/"
        aria-label="New chat"
        className="grid size-9 place-items-center rounded-lg pointer-coarse:size-10 text-muted-foreground hover:bg-accent hover:text-foreground md:hidden"
      >
        <SquarePen aria-hidden className="size-4" />
      </Link>
    </header>
  );
}
