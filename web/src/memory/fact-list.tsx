// The facts of one agent, newest first, with the ways to find one and to take the last change back.
import { Brain, Redo2, Undo2 } from 'lucide-react';
import { type RefObject, useState } from 'react';
import type { MemoryFact } from '../api/memory-calls.ts';
import { periodOf } from '../threads/relative-time.ts';
import { useNow } from '../threads/use-now.ts';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { FilterBox } from '../ui/filter-box.tsx';
import { SelectField } from '../ui/select-field.tsx';
import { FactRow } from './fact-row.tsx';
import { categoryText, matchesFact } from './fact-words.ts';

interface FactListProps {
  readonly facts: readonly MemoryFact[];
  /** Undefined where there is no change to take back; `redo`: the last one took a change back. */
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
          <Button ref={undoButton} look="secondary" onClick={onUndo}>
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
            ? 'Nothing is remembered yet. Add a fact about you, such as what you like and what you work on.'
            : 'No fact matches.'}
        </EmptyState>
      )}
    </>
  );
}
