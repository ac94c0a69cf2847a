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
      description="The files of this chat return to their state before this answer. Later changes are reverted, including your own. Uploads and messages stay. You can undo this."
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
