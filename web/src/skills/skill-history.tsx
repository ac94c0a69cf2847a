// The history of a skill, newest change first, with undo.
import { Bot, User } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { SkillChange, SkillDetail } from '../api/skill-calls.ts';
import { countsOf, linesOfChange } from '../diff/diff-line.ts';
import { DiffBadge, DiffView } from '../diff/diff-view.tsx';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { PageSection } from '../ui/page.tsx';
import { agoText } from '../ui/relative-time.ts';
import { useRollBackSkill, useSkillHistory } from './skill-queries.ts';
import { SkillRefusal } from './skill-refusal.tsx';

/** Older changes are shown on request. */
const MOST_AT_FIRST = 5;

export function SkillHistory({ skill: { name } }: { readonly skill: SkillDetail }) {
  const history = useSkillHistory(name);
  const rollBack = useRollBackSkill(name);
  const [isWhole, setWhole] = useState(false);
  const changes = history.data?.toReversed() ?? [];
  const shown = isWhole ? changes : changes.slice(0, MOST_AT_FIRST);
  return (
    <PageSection title="History" lead="Every change, by you and by the agent. Going back is a change, too.">
      {history.error !== null && <Notice tone="danger">{history.error.message}</Notice>}
      {rollBack.error !== null && (
        <SkillRefusal
          error={rollBack.error}
          action="Restore anyway"
          isPending={rollBack.isPending}
          onConfirm={() => {
            const { variables } = rollBack;
            if (variables !== undefined) rollBack.mutate({ ...variables, isConfirmed: true });
          }}
        />
      )}
      {history.data?.length === 0 && <p className="text-sm text-muted-foreground">No changes yet.</p>}
      {shown.length > 0 && (
        <ol className="grid gap-2">
          {shown.map((change) => (
            <Change
              key={change.index}
              change={change}
              isGoingBack={rollBack.isPending}
              onGoBack={() => rollBack.mutate({ index: change.index, isConfirmed: false })}
            />
          ))}
        </ol>
      )}
      {shown.length < changes.length && (
        <div>
          <Button variant="secondary" size="small" onClick={() => setWhole(true)}>
            Show {changes.length - shown.length} older
          </Button>
        </div>
      )}
    </PageSection>
  );
}

interface ChangeProps {
  readonly change: SkillChange;
  readonly isGoingBack: boolean;
  readonly onGoBack: () => void;
}

function Change({ change, isGoingBack, onGoBack }: ChangeProps) {
  const { previous_content: before, new_content: after, file_path: path, author, at } = change;
  const lines = useMemo(() => linesOfChange(before ?? '', after ?? ''), [before, after]);
  const isAgent = author === 'agent';
  const Icon = isAgent ? Bot : User;
  return (
    <li className="min-w-0">
      <details className="group overflow-hidden rounded-xl border border-border">
        <summary className="flex min-h-10 list-none items-center gap-2.5 px-3.5 py-2 text-sm hover:bg-accent focus-visible:-outline-offset-2 [&::-webkit-details-marker]:hidden">
          <Icon aria-hidden className="size-4 shrink-0 text-muted-foreground" />
          <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">
            {wordsOf(change)} <span className="text-muted-foreground">{path}</span>
            <span className="block text-xs text-muted-foreground">
              {isAgent ? 'The agent' : 'You'} · {agoText(new Date(at), new Date())}
            </span>
          </span>
          <span className="flex shrink-0 gap-1.5 text-xs tabular-nums">
            <DiffBadge {...countsOf(lines)} />
          </span>
        </summary>
        <div className="border-t border-border">
          <DiffView lines={lines} />
          {before !== null && (
            <div className="flex justify-end border-t border-border px-2 py-1.5">
              <Button variant="secondary" size="small" disabled={isGoingBack} onClick={onGoBack}>
                Restore the previous version
              </Button>
            </div>
          )}
        </div>
      </details>
    </li>
  );
}

function wordsOf({ previous_content: before, action }: SkillChange): string {
  switch (action) {
    case 'rollback':
      return 'Restored';
    case 'create':
      return 'Added';
    case 'delete':
    case 'remove_file':
      return 'Removed';
    case 'write_file':
      return before === null ? 'Added' : 'Changed';
    default:
      return 'Changed';
  }
}
