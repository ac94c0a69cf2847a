// Asks before a tool server is removed.
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { withoutServer } from './changed-entries.ts';
import { useChangeServers } from './tool-server-queries.ts';

interface RemoveServerDialogProps {
  readonly name: string;
  readonly onClose: () => void;
}

export function RemoveServerDialog({ name, onClose }: RemoveServerDialogProps) {
  const change = useChangeServers();
  return (
    <ConfirmDialog
      title="Remove this tool server?"
      description={
        <>
          The agent loses the tools of <span className="font-medium text-foreground">{name}</span>, for
          everybody. Its settings and secrets are deleted. To keep them, switch it off instead.
        </>
      }
      action="Remove"
      isPending={change.isPending}
      error={change.error}
      onConfirm={() => change.mutate(withoutServer(name), { onSuccess: onClose })}
      onClose={onClose}
    />
  );
}
