// What became of restoring files, and the way back from it.
import type { Restored } from '../api/change-shapes.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import type { Restore } from './use-restore.ts';

export function RestoreNotice({ restore }: { readonly restore: Restore }) {
  const { data, error, variables, isPending } = restore;
  if (isPending) return null;
  if (error !== null)
    return (
      <Notice tone="danger" className="m-2">
        {error.message}
      </Notice>
    );
  if (data === undefined) return null;
  const isUndone = variables?.kind === 'point';
  return (
    <Notice
      tone="neutral"
      className="m-2"
      actions={
        <Button
          look="secondary"
          size="small"
          onClick={() => restore.mutate({ kind: isUndone ? 'again' : 'point', point: data.undo_point })}
        >
          {isUndone ? 'Restore again' : 'Undo'}
        </Button>
      }
    >
      {isUndone ? 'The restore was undone.' : wordsFor(data)}
    </Notice>
  );
}

function wordsFor({ written, removed, left }: Restored): string {
  const parts = [
    written.length > 0 ? `${counted(written.length)} put back` : '',
    removed.length > 0 ? `${counted(removed.length)} removed` : '',
  ].filter(Boolean);
  const done =
    parts.length === 0 ? 'The files were already in that state.' : `Restored: ${parts.join(', ')}.`;
  return left.length === 0 ? done : `${done} ${counted(left.length)} could not be put back.`;
}

function counted(number: number): string {
  return `${number} ${number === 1 ? 'file' : 'files'}`;
}
