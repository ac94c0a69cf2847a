// The header of a conversation: its title, its buttons, and on phones the button for the other chats.
import { Link } from '@tanstack/react-router';
import { FolderOpen, Menu as MenuIcon, SquarePen } from 'lucide-react';
import { type ReactNode, useEffect, useSyncExternalStore } from 'react';
import { useFilePanel } from '../files/file-panel.ts';
import { useThreadTitle } from '../threads/thread-queries.ts';
import { Button } from '../ui/button.tsx';
import { useOpenDrawer } from '../ui/page.tsx';

interface ChatHeaderProps {
  readonly threadId: string | undefined;
  /** The title in the conversation itself. The list may know a newer one. */
  readonly title: string | undefined;
  /** Shown before the buttons. */
  readonly children?: ReactNode;
}

export function ChatHeader({ threadId, title, children }: ChatHeaderProps) {
  const openDrawer = useOpenDrawer();
  // A title may also be empty.
  const known = useThreadTitle(threadId) || title || undefined;
  useEffect(() => {
    document.title = known === undefined ? 'Agent Service' : `${known} · Agent Service`;
  }, [known]);
  return (
    <header className="flex h-14 shrink-0 items-center gap-1 border-b border-border px-2 md:h-13 md:px-6">
      <Button variant="quiet" size="icon" aria-label="Open chats" onClick={openDrawer} className="md:hidden">
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

function FilesButton() {
  const panel = useFilePanel();
  const isOpen = useSyncExternalStore(panel.subscribe, panel.view).kind !== 'closed';
  return (
    <Button
      variant="quiet"
      size="icon"
      aria-label="Files"
      aria-expanded={isOpen}
      title="Files of this chat"
      onClick={() => panel.show({ kind: isOpen ? 'closed' : 'list' })}
      className="aria-expanded:bg-accent aria-expanded:text-foreground"
    >
      <FolderOpen />
    </Button>
  );
}
