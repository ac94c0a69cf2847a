// One file that a run changed, and on request the difference.
import { ChevronRight } from 'lucide-react';
import { Collapsible } from 'radix-ui';
import type { FileChange } from '../api/change-shapes.ts';
import { linesOfPatch } from '../diff/diff-line.ts';
import { DiffBadge, DiffView } from '../diff/diff-view.tsx';
import { shortPath } from '../files/file-path.ts';
import { OpenFile } from '../tool-cards/open-file.tsx';
import { countsOfChanges } from './change-counts.ts';

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

export function ChangedFile({ change }: { readonly change: FileChange }) {
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
