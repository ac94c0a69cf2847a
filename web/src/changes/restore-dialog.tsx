// Asks before the files of a chat become what they were.
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';

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
      description="The files of this chat become what they were before this answer. What was changed since is taken back, also by later answers and by you; uploads stay. The messages stay as they are, and you can undo this."
    >
      <div className="flex justify-end gap-2">
        <Button look="ghost" onClick={onClose}>
          Cancel
        </Button>
        <Button onClick={onRestore}>Restore</Button>
      </div>
    </Dialog>
  );
}
