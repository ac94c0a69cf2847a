// Asks before a tool server is removed.
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Notice } from '../ui/notice.tsx';
import { withoutServer } from './changed-entries.ts';
import { useChangeServers } from './tool-server-queries.ts';

interface RemoveServerDialogProps {
  readonly name: string;
  readonly onClose: () => void;
}

export function RemoveServerDialog({ name, onClose }: RemoveServerDialogProps) {
  const change = useChangeServers();
  return (
    <Dialog
      open
      onClose={onClose}
      title="Remove this tool server?"
      description={
        <>
          The agent loses the tools of <span className="font-medium text-foreground">{name}</span>, for
          everybody. Its settings and secrets are deleted. To keep them, switch it off instead.
        </>
      }
    >
      {change.error !== null && (
        <Notice tone="danger" className="mb-4">
          {change.error.message}
        </Notice>
      )}
      <div className="flex justify-end gap-2">
        <Button look="secondary" onClick={onClose}>
          Cancel
        </Button>
        <Button
          look="danger"
          disabled={change.isPending}
          onClick={() => change.mutate(withoutServer(name), { onSuccess: onClose })}
        >
          Remove
        </Button>
      </div>
    </Dialog>
  );
}
