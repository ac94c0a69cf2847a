// The chat screen: header and conversation, for a new chat and for one that has its address.
import { Link, useNavigate, useParams, useRouter } from '@tanstack/react-router';
import { Menu as MenuIcon, SquarePen } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useOpenDrawer } from '../drawer-context.ts';
import { usePreloadedMarkdown } from '../markdown/lazy-markdown.tsx';
import { useThreadTitle } from '../threads/thread-queries.ts';
import { Button } from '../ui/button.tsx';
import { ConversationView } from './conversation-view.tsx';

interface Session {
  readonly key: number;
  readonly threadId: string | undefined;
  /** The id that a new chat was given; its address follows. */
  readonly born: string | undefined;
}

export function ChatPage() {
  const { threadId } = useParams({ strict: false });
  const navigate = useNavigate();
  const router = useRouter();
  const [session, setSession] = useState<Session>({ key: 0, threadId, born: undefined });
  const title = useThreadTitle(threadId);
  usePreloadedMarkdown();

  // A new chat that gets its address is the same conversation; any other change of address is another one.
  if (session.threadId !== threadId) {
    const isSame = threadId !== undefined && threadId === session.born;
    setSession({ key: isSame ? session.key : session.key + 1, threadId, born: undefined });
  }

  useEffect(() => {
    document.title = title === undefined ? 'Agent Service' : `${title} · Agent Service`;
  }, [title]);

  const onBorn = (id: string) => {
    setSession((it) => ({ ...it, born: id }));
    navigate({ to: '/threads/$threadId', params: { threadId: id }, replace: true }).catch(reportError);
  };
  const reload = async () => {
    await router.invalidate();
    setSession((it) => ({ ...it, key: it.key + 1 }));
  };

  return (
    <main id="main" tabIndex={-1} className="flex min-w-0 flex-1 flex-col outline-hidden">
      <Header title={title ?? 'New chat'} />
      <ConversationView
        key={session.key}
        threadId={threadId ?? session.born}
        onBorn={onBorn}
        onReload={() => void reload().catch(reportError)}
      />
    </main>
  );
}

function Header({ title }: { readonly title: string }) {
  const openDrawer = useOpenDrawer();
  return (
    <header className="flex h-14 shrink-0 items-center gap-1 border-b border-border px-2 md:h-13 md:px-6">
      <Button look="quiet" size="icon" aria-label="Open the chats" onClick={openDrawer} className="md:hidden">
        <MenuIcon />
      </Button>
      <h1 className="min-w-0 flex-1 truncate px-1 text-[0.9375rem] font-semibold tracking-tight">{title}</h1>
      <Link
        to="/"
        aria-label="New chat"
        className="grid size-9 place-items-center rounded-lg text-muted-foreground hover:bg-accent hover:text-foreground md:hidden"
      >
        <SquarePen aria-hidden className="size-4" />
      </Link>
    </header>
  );
}
