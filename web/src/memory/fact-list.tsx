// The facts of one agent, newest first, with a filter and an undo.
import { Link } from '@tanstack/react-router';
import { Brain, MessageSquare, Pencil, Redo2, Trash2, Undo2, Upload } from 'lucide-react';
import { type RefObject, useState } from 'react';
import type { MemoryFact } from '../api/memory-calls.ts';
import { useThreadTitle } from '../threads/thread-queries.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/page.tsx';
import { agoText, periodOf } from '../ui/relative-time.ts';
import { SelectField } from '../ui/select-field.tsx';
import { FilterBox } from '../ui/text-field.tsx';
import { useNow } from '../ui/use-now.ts';
import { categoryText, matchesFact, percentOf } from './fact-words.ts';

interface FactListProps {
  readonly facts: readonly MemoryFact[];
  /** Undefined when there is nothing to undo. `redo` after an undo. */
  readonly undo: 'undo' | 'redo' | undefined;
  readonly undoButton: RefObject<HTMLButtonElement | null>;
  readonly onUndo: () => void;
  readonly onEdit: (fact: MemoryFact) => void;
  readonly onDelete: (fact: MemoryFact) => void;
}

export function FactList(props: FactListProps) {
  const { facts, undo, undoButton, onUndo, onEdit, onDelete } = props;
  const now = useNow();
  const [words, setWords] = useState('');
  const [category, setCategory] = useState('');
  const categories = [...new Set(facts.map((fact) => fact.category))].sort();
  const chosen = categories.includes(category) ? category : '';
  const found = facts
    .filter((fact) => matchesFact(fact, words) && (chosen === '' || fact.category === chosen))
    .toSorted((a, b) => b.created_at.localeCompare(a.created_at));
  const groups = Map.groupBy(found, ({ created_at }) => periodOf(new Date(created_at), now));
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        {facts.length > 0 && (
          <>
            <div className="flex min-w-0 grow basis-56">
              <FilterBox label="Filter the facts" value={words} onChange={setWords} />
            </div>
            <SelectField
              label="Category"
              isLabelHidden
              className="grow basis-44 sm:grow-0"
              value={chosen}
              options={[
                { value: '', label: 'All categories' },
                ...categories.map((value) => ({ value, label: categoryText(value) })),
              ]}
              onChange={setCategory}
            />
          </>
        )}
        {undo !== undefined && (
          <Button ref={undoButton} variant="secondary" onClick={onUndo}>
            {undo === 'undo' ? <Undo2 aria-hidden /> : <Redo2 aria-hidden />}
            {undo === 'undo' ? 'Undo' : 'Redo'}
          </Button>
        )}
      </div>
      {[...groups].map(([period, members]) => (
        <section key={period} aria-label={`Facts, ${period}`} className="grid gap-2">
          <h2 className="px-1 text-[0.8125rem] font-medium text-muted-foreground">{period}</h2>
          <ul className="divide-y divide-border overflow-hidden rounded-xl border border-border bg-surface">
            {members.map((fact) => (
              <FactRow
                key={fact.id}
                fact={fact}
                now={now}
                onEdit={() => onEdit(fact)}
                onDelete={() => onDelete(fact)}
              />
            ))}
          </ul>
        </section>
      ))}
      {found.length === 0 && (
        <EmptyState icon={Brain}>
          {facts.length === 0
            ? 'Nothing is remembered yet. Add a fact about yourself, such as what you like and what you work on.'
            : 'No fact matches.'}
        </EmptyState>
      )}
    </>
  );
}

interface FactRowProps {
  readonly fact: MemoryFact;
  readonly now: Date;
  readonly onEdit: () => void;
  readonly onDelete: () => void;
}

function FactRow({ fact, now, onEdit, onDelete }: FactRowProps) {
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
      <Button variant="quiet" size="icon-small" aria-label={`Edit: ${content}`} title="Edit" onClick={onEdit}>
        <Pencil />
      </Button>
      <Button
        variant="quiet"
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
