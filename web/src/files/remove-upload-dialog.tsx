// Asks before a file that was handed in is removed.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useServices } from '../services.tsx';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { refreshFiles } from './thread-files.ts';

interface RemoveUploadDialogProps {
  readonly threadId: string;
  readonly name: string;
  readonly onClose: () => void;
}

export function RemoveUploadDialog({ threadId, name, onClose }: RemoveUploadDialogProps) {
  const { api } = useServices();
  const queryClient = useQueryClient();
  const removal = useMutation({
    mutationFn: () => api.removeUpload(threadId, name),
    onSuccess: () => {
      onClose();
      return refreshFiles(queryClient, threadId);
    },
  });
  return (
    <ConfirmDialog
      title="Remove this file?"
      description={`${name} is deleted from this chat. The agent can no longer read it.`}
      action="Remove"
      isPending={removal.isPending}
      error={removal.error}
      onConfirm={() => removal.mutate()}
      onClose={onClose}
    />
  );
}
