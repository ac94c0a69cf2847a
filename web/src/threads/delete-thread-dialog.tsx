// Asks before a thread is deleted.
import { useNavigate, useParams } from '@tanstack/react-router';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Notice } from '../ui/notice.tsx';
import { useDeleteThread } from './thread-queries.ts';

interface DeleteThreadDialogProps {
  readonly threadId: string;
  readonly title: string;
  readonly onClose: () => void;
}

export function DeleteThreadDialog({ threadId, title, onClose }: DeleteThreadDialogProps) {
  const { threadId: shown } = useParams({ strict: false });
  const navigate = useNavigate();
  const remove = useDeleteThread(async (deleted) => {
    onClose();
    if (shown === deleted) await navigate({ to: '/' });
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title="Delete this chat?"
      description={
        <>
          <span className="font-medium text-foreground">{title}</span> and its files are deleted for good.
        </>
      }
    >
      {remove.error !== null && (
        <Notice tone="danger" className="mb-4">
          {remove.error.message}
        </Notice>
      )}
      <div className="flex justify-end gap-2">
        <Button look="secondary" onClick={onClose}>
          Cancel
        </Button>
        <Button look="danger" onClick={() => remove.mutate(threadId)} disabled={remove.isPending}>
          Delete
        </Button>
      </div>
    </Dialog>
  );
}
