// The chat screen, for a new chat and for one that already has an address.
import { useNavigate, useParams, useRouter } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import type { Seen } from '../conversation/seen-turn-reader.ts';
import { usePreloadedMarkdown } from '../markdown/lazy-markdown.tsx';
import { ConversationView } from './conversation-view.tsx';

interface Session {
  readonly key: number;
  readonly threadId: string | undefined;
  /** The id of a new chat before it appears in the address. */
  readonly createdId: string | undefined;
}

export function ChatPage() {
  const { threadId } = useParams({ strict: false });
  const navigate = useNavigate();
  const router = useRouter();
  const [session, setSession] = useState<Session>({ key: 0, threadId, createdId: undefined });
  const arrival = useRef<string>(undefined);
  const seen = useRef<Seen>(undefined);
  usePreloadedMarkdown();

  // A new chat that gets its address stays the same conversation. Any other change of address opens another
  // one.
  if (session.threadId !== threadId) {
    const isSame = threadId !== undefined && threadId === session.createdId;
    setSession({ key: isSame ? session.key : session.key + 1, threadId, createdId: undefined });
  }

  const onThreadCreated = (id: string) => {
    setSession((it) => ({ ...it, createdId: id }));
    navigate({ to: '/threads/$threadId', params: { threadId: id }, replace: true }).catch(reportError);
  };
  const reload = async () => {
    await router.invalidate();
    setSession((it) => ({ ...it, key: it.key + 1 }));
  };

  return (
    <main id="main" tabIndex={-1} className="flex min-w-0 flex-1 flex-col outline-hidden">
      <ConversationView
        key={session.key}
        threadId={threadId ?? session.createdId}
        onThreadCreated={onThreadCreated}
        arrival={arrival}
        seen={seen}
        onReload={() => void reload().catch(reportError)}
      />
    </main>
  );
}
