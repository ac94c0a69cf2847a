// The agent's change to one of the person's skills, shown as a diff.
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { ToolCallView } from '../conversation/message-view.ts';
import { type DiffLine, linesOf, linesOfChange } from '../diff/diff-line.ts';
import { DiffView } from '../diff/diff-view.tsx';
import { type CallCardProps, CallText, callStateOf, ToolFrame } from './tool-frame.tsx';

const TITLES = new Map([
  ['create', 'Create skill'],
  ['delete', 'Delete skill'],
  ['edit', 'Rewrite skill'],
  ['patch', 'Edit skill'],
  ['remove_file', 'Remove file of skill'],
  ['write_file', 'Write file of skill'],
]);

export function SkillCard({ call, result, turnState, startsOpen }: CallCardProps) {
  const state = callStateOf(result, turnState);
  const { action, name, path } = textsOf(call);
  const lines = useMemo(() => differenceOf(call), [call]);
  const isFailed = state === 'error' && result !== undefined;
  return (
    <ToolFrame
      name={call.name}
      title={TITLES.get(action)}
      state={state}
      summary={path === '' ? name : `${name}: ${path}`}
      isOpenAtFirst={startsOpen && !isFailed && lines.length > 0}
    >
      {isFailed ? (
        <div className="px-3.5 py-3">
          <CallText title="Error" text={result.text} />
        </div>
      ) : (
        <>
          {lines.length > 0 && <DiffView lines={lines} />}
          <div className="flex min-h-10 flex-wrap items-center justify-between gap-x-4 gap-y-1 border-t border-border px-3.5 py-1.5 text-[0.8125rem] text-muted-foreground first:border-t-0">
            <span className="min-w-0 [overflow-wrap:anywhere]">{result?.text ?? 'No result yet.'}</span>
            {state === 'success' && action !== 'delete' && (
              <Link
                to="/skills/$skillName"
                params={{ skillName: name }}
                className="font-medium text-primary underline underline-offset-4 pointer-coarse:py-2.5"
              >
                View skill
              </Link>
            )}
          </div>
        </>
      )}
    </ToolFrame>
  );
}

function differenceOf(call: ToolCallView): readonly DiffLine[] {
  const { action, content, find, replace } = textsOf(call);
  if (action === 'patch') return linesOfChange(find, replace);
  return linesOf(content, action === 'create' ? 'added' : 'text');
}

function textsOf({ args }: ToolCallView) {
  return {
    action: textOf(args.action),
    name: textOf(args.name),
    path: textOf(args.path),
    content: textOf(args.content),
    find: textOf(args.find),
    replace: textOf(args.replace),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
