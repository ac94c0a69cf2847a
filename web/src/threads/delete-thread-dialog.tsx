// Asks before a thread is deleted.
import { useNavigate, useParams } from '@tanstack/react-router';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
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
    <ConfirmDialog
      title="Delete this chat?"
      description={
        <>
          <span className="font-medium text-foreground">{title}</span> and its files are deleted for good.
        </>
      }
      action="Delete"
      isPending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(threadId)}
      onClose={onClose}
    />
  );
}
