// Asks before a key is revoked: what uses it stops working.
import type { ApiKey } from '../api/shapes.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Notice } from '../ui/notice.tsx';
import { useRevokeKey } from './key-queries.ts';

interface RevokeKeyProps {
  readonly shown: ApiKey;
  readonly onClose: () => void;
}

export function RevokeKeyDialog({ shown, onClose }: RevokeKeyProps) {
  const revoke = useRevokeKey();
  return (
    <Dialog
      open
      onClose={onClose}
      title="Revoke this key?"
      description={`Anything that uses “${shown.name}” stops working immediately. This cannot be undone.`}
    >
      {revoke.error !== null && <Notice tone="danger">{revoke.error.message}</Notice>}
      <div className="mt-2 flex justify-end gap-2">
        <Button look="secondary" onClick={onClose}>
          Cancel
        </Button>
        <Button
          look="danger"
          disabled={revoke.isPending}
          onClick={() => revoke.mutate(shown.id, { onSuccess: onClose })}
        >
          Revoke key
        </Button>
      </div>
    </Dialog>
  );
}
