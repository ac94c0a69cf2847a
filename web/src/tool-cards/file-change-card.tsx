// A file that the agent writes or changes, as the difference that it makes.
import { useMemo } from 'react';
import { type CallCardProps, CallText } from '../chat/call-view.tsx';
import type { ToolCallView } from '../chat/message-view.ts';
import { countsOf, type DiffLine, linesOf, linesOfChange } from '../diff/diff-line.ts';
import { DiffBadge, DiffView } from '../diff/diff-view.tsx';
import { shortPath } from '../files/file-path.ts';
import { callStateOf } from './call-state.ts';
import { OpenFile } from './open-file.tsx';
import { ToolFrame } from './tool-frame.tsx';

export function FileChangeCard({ call, result, turnState, startsOpen }: CallCardProps) {
  const state = callStateOf(result, turnState);
  const path = typeof call.args.path === 'string' ? call.args.path : '';
  const lines = useMemo(() => linesOfCall(call), [call]);
  const isFailed = state === 'error';
  return (
    <ToolFrame
      name={call.name}
      state={state}
      summary={shortPath(path)}
      badge={isFailed ? undefined : <DiffBadge {...countsOf(lines)} />}
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
            <span>{wordsFor(call)}</span>
            {state === 'success' && <OpenFile path={path} />}
          </div>
        </>
      )}
    </ToolFrame>
  );
}

function linesOfCall({ name, args }: ToolCallView): readonly DiffLine[] {
  if (name === 'str_replace') return linesOfChange(textOf(args.old_str), textOf(args.new_str));
  return linesOf(textOf(args.content), 'added');
}

function wordsFor({ name, args }: ToolCallView): string {
  if (name === 'str_replace') return args.replace_all === true ? 'Everywhere in the file' : 'In one place';
  return args.append === true ? 'Added to the end' : 'The whole text';
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
