// One fact: what it says, how sure it is, where it comes from, and what can be done with it.
import { Link } from '@tanstack/react-router';
import { MessageSquare, Pencil, Trash2, Upload } from 'lucide-react';
import type { MemoryFact } from '../api/memory-calls.ts';
import { agoText } from '../threads/relative-time.ts';
import { useThreadTitle } from '../threads/thread-queries.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { categoryText, percentOf } from './fact-words.ts';

interface FactRowProps {
  readonly fact: MemoryFact;
  readonly now: Date;
  readonly onEdit: () => void;
  readonly onDelete: () => void;
}

export function FactRow({ fact, now, onEdit, onDelete }: FactRowProps) {
  const { content, category, confidence, created_at } = fact;
  return (
    <li className="flex items-start gap-1 py-2.5 pr-2 pl-4">
      <div className="grid min-w-0 flex-1 gap-1.5 py-1">
        <p dir="auto" className="text-sm leading-snug [overflow-wrap:anywhere]">
          {content}
        </p>
        <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1 text-[0.8125rem] text-muted-foreground">
          <Badge>{categoryText(category)}</Badge>
          <span>{confidence === 1 ? 'Certain' : `${percentOf(confidence)} % sure`}</span>
          <Source source={fact.source} />
          <time dateTime={created_at}>{agoText(new Date(created_at), now)}</time>
        </div>
      </div>
      <Button look="quiet" size="icon-small" aria-label={`Edit: ${content}`} title="Edit" onClick={onEdit}>
        <Pencil />
      </Button>
      <Button
        look="quiet"
        size="icon-small"
        aria-label={`Delete: ${content}`}
        title="Delete"
        onClick={onDelete}
      >
        <Trash2 />
      </Button>
    </li>
  );
}

const SOURCE = 'flex min-w-0 items-center gap-1.5 [&_svg]:size-3.5 [&_svg]:shrink-0';

function Source({ source }: Pick<MemoryFact, 'source'>) {
  const { kind, thread_id: threadId, message_id: messageId } = source;
  const title = useThreadTitle(threadId ?? undefined);
  if (kind === 'thread' && threadId !== null)
    return (
      <Link
        to="/threads/$threadId"
        params={{ threadId }}
        {...(messageId === null ? {} : { hash: messageId })}
        className={`${SOURCE} text-primary underline-offset-4 hover:underline pointer-coarse:py-1.5`}
      >
        <MessageSquare aria-hidden />
        <span className="truncate">{title === undefined ? 'From a chat' : `From “${title}”`}</span>
      </Link>
    );
  const Icon = kind === 'import' ? Upload : Pencil;
  return (
    <span className={SOURCE}>
      <Icon aria-hidden />
      {kind === 'import' ? 'Imported' : 'Written by you'}
    </span>
  );
}
