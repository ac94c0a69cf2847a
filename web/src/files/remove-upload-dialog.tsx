// Asks before a file that was handed in is removed.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useServices } from '../services.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Notice } from '../ui/notice.tsx';
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
    <Dialog
      open
      onClose={onClose}
      title="Remove this file?"
      description={`${name} is deleted from this chat. The agent can no longer read it.`}
    >
      {removal.isError && (
        <Notice tone="danger" className="mb-4">
          {removal.error.message}
        </Notice>
      )}
      <div className="flex justify-end gap-2">
        <Button look="ghost" onClick={onClose}>
          Cancel
        </Button>
        <Button look="danger" disabled={removal.isPending} onClick={() => removal.mutate()}>
          Remove
        </Button>
      </div>
    </Dialog>
  );
}
