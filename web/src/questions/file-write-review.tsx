// The effect on its file of a call that awaits approval: a diff, if the file can be compared.
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Api } from '../api/api.ts';
import { useTurnActions } from '../conversation/turn-actions.ts';
import type { AskedAction } from '../conversation/waiting.ts';
import { countsOf, linesOfChange } from '../diff/diff-line.ts';
import { DiffBadge, DiffView } from '../diff/diff-view.tsx';
import { readText } from '../files/file-text.ts';
import { useServices } from '../services/services.tsx';
import { withShownTurns } from '../tool-cards/argument-list.tsx';

/** A diff of larger files would be too long to read. */
const MOST_BYTES = 60_000;

interface Writing {
  readonly path: string;
  readonly content: string;
}

/** Returns undefined for calls that do not replace the text of a file. */
export function writingOf({ name, args }: Pick<AskedAction, 'name' | 'args'>): Writing | undefined {
  const { path, content, append } = args;
  if (name !== 'write_file' || append === true) return undefined;
  if (typeof path !== 'string' || typeof content !== 'string') return undefined;
  return path.startsWith('/mnt/user-data/') ? { path, content } : undefined;
}

type FileBefore =
  | { readonly kind: 'absent' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'incomparable' };

/** Shows nothing when the file does not exist yet: the new text is shown anyway. */
export function FileWriteReview({ path, content }: Writing) {
  const { api } = useServices();
  const { threadId } = useTurnActions();
  const before = useQuery({
    queryKey: ['file-before', threadId, path],
    queryFn: () => readBefore(api, threadId ?? '', path),
    enabled: threadId !== undefined,
    retry: false,
    // Another call may change the file after it was fetched.
    gcTime: 0,
  }).data;
  const lines = useMemo(
    () => (before?.kind === 'text' ? linesOfChange(before.text, withShownTurns(content)) : []),
    [before, content],
  );
  if (before === undefined || before.kind === 'absent') return null;
  const isSame = before.kind === 'text' && lines.every(({ kind }) => kind === 'same');
  return (
    <section aria-label="Changes to the file" className="grid min-w-0 gap-1.5">
      <p className="flex flex-wrap items-center gap-x-2 text-[0.8125rem] text-muted-foreground tabular-nums">
        {wordsOf(before, isSame)}
        <DiffBadge {...countsOf(lines)} />
      </p>
      {before.kind === 'text' && !isSame && (
        <div className="min-w-0 overflow-hidden rounded-lg border border-border">
          <DiffView lines={lines} />
        </div>
      )}
    </section>
  );
}

async function readBefore(api: Api, threadId: string, path: string): Promise<FileBefore> {
  const { files } = await api.threadFiles(threadId);
  if (!files.some((it) => it.path === path)) return { kind: 'absent' };
  const file = await api.readFile(threadId, path, MOST_BYTES);
  const read = readText(file);
  if (read.kind !== 'text' || !file.isWhole) return { kind: 'incomparable' };
  return { kind: 'text', text: withShownTurns(read.text) };
}

function wordsOf({ kind }: FileBefore, isSame: boolean): string {
  if (kind === 'incomparable') return 'Replaces a file that is too large to compare or is not text.';
  return isSame ? 'The file already has exactly this text.' : 'Replaces the text of the file';
}
