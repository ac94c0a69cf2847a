// A file that the agent writes or changes, shown as a diff.
import { useMemo } from 'react';
import type { FileChange } from '../api/change-calls.ts';
import { useChangeOf } from '../changes/turn-record.ts';
import type { ToolCallView } from '../conversation/message-view.ts';
import { countsOf, type DiffLine, linesOf, linesOfChange, linesOfPatch } from '../diff/diff-line.ts';
import { DiffBadge, DiffView } from '../diff/diff-view.tsx';
import { shortPath } from '../files/file-kind.ts';
import { OpenFile } from '../files/open-file.tsx';
import { type CallCardProps, CallText, callStateOf, ToolFrame } from './tool-frame.tsx';

export function FileChangeCard({ call, result, turnState, startsOpen }: CallCardProps) {
  const state = callStateOf(result, turnState);
  const path = typeof call.args.path === 'string' ? call.args.path : '';
  const change = useChangeOf(call);
  const { lines, words } = useMemo(() => differenceOf(call, change), [call, change]);
  const isFailed = state === 'error';
  return (
    <ToolFrame
      name={call.name}
      state={state}
      summary={shortPath(path)}
      badge={isFailed ? undefined : <Badge lines={lines} />}
      isOpenAtFirst={startsOpen}
    >
      {isFailed && result !== undefined ? (
        <div className="px-3.5 py-3">
          <CallText title="Error" text={result.text} />
        </div>
      ) : (
        <>
          <DiffView lines={lines} />
          <div className="flex items-center justify-between gap-2 border-t border-border py-1 pr-2 pl-3.5 text-xs text-muted-foreground">
            <span>{words}</span>
            {state === 'success' && <OpenFile path={path} />}
          </div>
        </>
      )}
    </ToolFrame>
  );
}

function Badge({ lines }: { readonly lines: readonly DiffLine[] }) {
  const isText = lines.some(({ kind }) => kind === 'text');
  if (!isText) return <DiffBadge {...countsOf(lines)} />;
  return `${lines.length} ${lines.length === 1 ? 'line' : 'lines'}`;
}

interface Difference {
  readonly lines: readonly DiffLine[];
  /** A description of the lines. */
  readonly words: string;
}

/** Returns the diff of a call. The record has the replaced text only if no other call changed the file. */
function differenceOf({ name, args }: ToolCallView, change: FileChange | undefined): Difference {
  if (name === 'str_replace') {
    const words = args.replace_all === true ? 'All occurrences' : 'One occurrence';
    return { lines: linesOfChange(textOf(args.old_str), textOf(args.new_str)), words };
  }
  const text = textOf(args.content);
  if (args.append === true) return { lines: linesOf(text, 'added'), words: 'Appended to the file' };
  if (change?.change === 'created') return { lines: linesOf(text, 'added'), words: 'New file' };
  if (change?.change === 'modified' && change.diff !== null)
    return { lines: linesOfPatch(change.diff), words: 'Changes in this answer' };
  return { lines: linesOf(text, 'text'), words: 'New content' };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
