// The changes of a reply to the files of the chat: one line that opens the diffs and offers to undo the
// changes.
import { useQueries } from '@tanstack/react-query';
import { ChevronRight, FileDiff, Undo2 } from 'lucide-react';
import { Collapsible } from 'radix-ui';
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import type { FileChange } from '../api/change-calls.ts';
import { countsOf, type DiffCounts, linesOfPatch } from '../diff/diff-line.ts';
import { DiffBadge, DiffView } from '../diff/diff-view.tsx';
import { shortPath } from '../files/file-kind.ts';
import { OpenFile } from '../files/open-file.tsx';
import { useServices } from '../services/services.tsx';
import { Button } from '../ui/button.tsx';
import { RestoreDialog, RestoreNotice, useRestore } from './restore.tsx';
import { runChangesQuery } from './turn-record.ts';

interface TurnChangesProps {
  readonly threadId: string;
  /** The runs of the turn, oldest first. */
  readonly runIds: readonly string[];
  /** Buttons below the changes, shown only once nothing can move them any more. */
  readonly children: ReactNode;
}

/** Fetches the changes when the turn comes into view, since a long chat has many. */
export function TurnChanges({ threadId, runIds, children }: TurnChangesProps) {
  const place = useRef<HTMLDivElement>(null);
  const isSeen = useSeen(place);
  const { api } = useServices();
  const asked = useQueries({
    queries: runIds.map((runId) => ({ ...runChangesQuery(api, threadId, runId), enabled: isSeen })),
  });
  const changes = asked.flatMap(({ data }, index) =>
    (data?.changes ?? []).map((change) => ({ ...change, key: `${runIds[index]} ${change.path}` })),
  );
  const unlisted = asked.reduce((sum, { data }) => sum + (data?.total ?? 0), 0) - changes.length;
  const [first] = runIds;
  const isComing = asked.some(({ isPending }) => isPending);
  return (
    <>
      <div ref={place} className="min-h-px min-w-0">
        {changes.length > 0 && first !== undefined && (
          <Changes threadId={threadId} runId={first} changes={changes} unlisted={unlisted} />
        )}
      </div>
      {isComing ? <div aria-hidden className="min-h-8 pointer-coarse:min-h-10" /> : children}
    </>
  );
}

interface ChangesProps {
  readonly threadId: string;
  readonly runId: string;
  readonly changes: readonly (FileChange & { readonly key: string })[];
  /** The number of changes that are not in the list. */
  readonly unlisted: number;
}

function Changes({ threadId, runId, changes, unlisted }: ChangesProps) {
  const total = new Set(changes.map(({ path }) => path)).size + unlisted;
  const [isAsking, setAsking] = useState(false);
  const restore = useRestore(threadId);
  return (
    <Collapsible.Root
      data-testid="turn-changes"
      className="min-w-0 overflow-hidden rounded-xl border border-border bg-surface"
    >
      <Collapsible.Trigger className="group flex w-full items-center gap-2.5 px-3.5 py-2 text-left text-[0.8125rem] pointer-coarse:min-h-10 hover:bg-accent focus-visible:-outline-offset-2">
        <FileDiff aria-hidden className="size-4 shrink-0 text-muted-foreground" />
        <span className="min-w-0 flex-1 truncate font-medium">
          {total} {total === 1 ? 'file' : 'files'} changed
        </span>
        <span className="flex gap-1.5 text-xs tabular-nums">
          <DiffBadge {...countsOfChanges(changes)} />
        </span>
        <ChevronRight
          aria-hidden
          className="size-4 shrink-0 text-muted-foreground transition-transform group-data-[state=open]:rotate-90"
        />
      </Collapsible.Trigger>
      <Collapsible.Content className="min-w-0 border-t border-border">
        <ul className="divide-y divide-border">
          {changes.map((change) => (
            <ChangedFile key={change.key} change={change} />
          ))}
        </ul>
        {unlisted > 0 && (
          <p className="border-t border-border px-3.5 py-2 text-xs text-muted-foreground">
            {unlisted} more are not listed.
          </p>
        )}
        <div className="flex justify-end border-t border-border px-2 py-1.5">
          <Button variant="ghost" size="small" disabled={restore.isPending} onClick={() => setAsking(true)}>
            <Undo2 aria-hidden />
            Restore files to before this answer
          </Button>
        </div>
      </Collapsible.Content>
      <RestoreNotice restore={restore} />
      {isAsking && (
        <RestoreDialog
          onClose={() => setAsking(false)}
          onRestore={() => {
            setAsking(false);
            restore.mutate({ kind: 'before_run', runId });
          }}
        />
      )}
    </Collapsible.Root>
  );
}

const WORDS: Readonly<Record<FileChange['change'], string>> = {
  created: 'new',
  modified: 'changed',
  deleted: 'deleted',
};

const OMITTED: Readonly<Record<NonNullable<FileChange['diff_omitted']>, string>> = {
  binary: 'This file is not text, so its changes cannot be shown.',
  too_large: 'The changes are too large to show.',
  not_kept: 'The previous version was not kept.',
};

function ChangedFile({ change }: { readonly change: FileChange }) {
  const { path, diff, diff_omitted: omitted } = change;
  return (
    <li className="min-w-0">
      <Collapsible.Root>
        <Collapsible.Trigger className="group flex w-full items-center gap-2.5 px-3.5 py-2 text-left text-[0.8125rem] pointer-coarse:min-h-10 hover:bg-accent focus-visible:-outline-offset-2">
          <ChevronRight
            aria-hidden
            className="size-3.5 shrink-0 text-muted-foreground transition-transform group-data-[state=open]:rotate-90"
          />
          <span className="min-w-0 flex-1 truncate font-mono text-xs">{shortPath(path)}</span>
          <span className="flex shrink-0 gap-1.5 text-xs text-muted-foreground tabular-nums">
            {WORDS[change.change]}
            <DiffBadge {...countsOfChanges([change])} />
          </span>
        </Collapsible.Trigger>
        <Collapsible.Content className="border-t border-border">
          {diff === null ? (
            <p className="px-3.5 py-2.5 text-[0.8125rem] text-muted-foreground">
              {OMITTED[omitted ?? 'not_kept']}
            </p>
          ) : (
            <DiffView lines={linesOfPatch(diff)} />
          )}
          {change.change !== 'deleted' && (
            <div className="flex justify-end border-t border-border px-2 py-1">
              <OpenFile path={path} />
            </div>
          )}
        </Collapsible.Content>
      </Collapsible.Root>
    </li>
  );
}

/** Counts the lines of the changes that have a diff. */
function countsOfChanges(changes: readonly FileChange[]): DiffCounts {
  return countsOf(changes.flatMap(({ diff }) => (diff === null ? [] : linesOfPatch(diff))));
}

const NEAR = '300px';

/** Whether the element has ever been near the screen. */
function useSeen(element: RefObject<Element | null>): boolean {
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    if (isSeen || element.current === null) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) setSeen(true);
      },
      { rootMargin: NEAR },
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element, isSeen]);
  return isSeen;
}
