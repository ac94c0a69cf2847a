// Asks before something is deleted or taken away.
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Notice } from './notice.tsx';

interface ConfirmDialogProps {
  /** A question. */
  readonly title: string;
  /** What is lost. */
  readonly description: ReactNode;
  /** What the button says. */
  readonly action: string;
  readonly isPending: boolean;
  /** Why it could not be done. */
  readonly error: Error | null;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, description, action, isPending, error, onConfirm, onClose } = props;
  return (
    <Dialog open onClose={onClose} title={title} description={description}>
      {error !== null && (
        <Notice tone="danger" className="mb-4">
          {error.message}
        </Notice>
      )}
      <div className="flex justify-end gap-2">
        <Button look="secondary" onClick={onClose}>
          Cancel
        </Button>
        <Button look="danger" disabled={isPending} onClick={onConfirm}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
