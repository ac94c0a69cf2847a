// Chats whose first message has not reached the service.
import { Link } from '@tanstack/react-router';
import { CloudOff } from 'lucide-react';
import { useId, useSyncExternalStore } from 'react';
import { useServices } from '../services.tsx';

export function UnsentChats({ onOpen }: { readonly onOpen: () => void }) {
  const { outbox } = useServices();
  const id = useId();
  const items = useSyncExternalStore(outbox.subscribe, outbox.items);
  const waiting = items.filter(({ isNew, state }) => isNew && (state === 'waiting' || state === 'refused'));
  const first = new Map(waiting.toReversed().map((it) => [it.threadId, it.text]));
  if (first.size === 0) return null;
  return (
    <section aria-labelledby={id} className="mt-1 mb-3">
      <h2 id={id} className="px-2.5 py-1 text-xs font-medium text-muted-foreground">
        Not sent yet
      </h2>
      <ul>
        {[...first].map(([threadId, text]) => (
          <li key={threadId}>
            <Link
              to="/threads/$threadId"
              params={{ threadId }}
              onClick={onOpen}
              className="flex items-center gap-2 rounded-lg p-2 pl-2.5 text-sm hover:bg-accent data-[status=active]:bg-accent data-[status=active]:font-medium"
            >
              <CloudOff aria-hidden className="size-3.5 shrink-0 text-muted-foreground" />
              <span className="min-w-0 flex-1 truncate">{text}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
