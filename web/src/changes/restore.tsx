// Restores the files of a chat to their state before a turn: the confirmation, and the outcome.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Moment, Restored } from '../api/change-calls.ts';
import { refreshFiles } from '../files/thread-files.ts';
import { useServices } from '../services/services.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Notice } from '../ui/notice.tsx';

export type Restore = ReturnType<typeof useRestore>;

export function useRestore(threadId: string) {
  const { api } = useServices();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (moment: Moment): Promise<Restored> => api.restoreFiles(threadId, moment),
    onSuccess: () => refreshFiles(queryClient, threadId),
  });
}

interface RestoreDialogProps {
  readonly onRestore: () => void;
  readonly onClose: () => void;
}

export function RestoreDialog({ onRestore, onClose }: RestoreDialogProps) {
  return (
    <Dialog
      open
      onClose={onClose}
      title="Restore the files?"
      description="The files of this chat return to their state before this answer. Later changes are reverted, including your own. Uploads and messages stay. You can undo this."
    >
      <div className="flex justify-end gap-2">
        <Button variant="ghost" onClick={onClose}>
          Cancel
        </Button>
        <Button onClick={onRestore}>Restore</Button>
      </div>
    </Dialog>
  );
}

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
          variant="secondary"
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
