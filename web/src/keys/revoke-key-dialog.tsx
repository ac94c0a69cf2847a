// Asks before a key is revoked: what uses it stops working.
import type { ApiKey } from '../api/shapes.ts';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { useRevokeKey } from './key-queries.ts';

interface RevokeKeyProps {
  readonly shown: ApiKey;
  readonly onClose: () => void;
}

export function RevokeKeyDialog({ shown, onClose }: RevokeKeyProps) {
  const revoke = useRevokeKey();
  return (
    <ConfirmDialog
      title="Revoke this key?"
      description={`Anything that uses “${shown.name}” stops working immediately. This cannot be undone.`}
      action="Revoke key"
      isPending={revoke.isPending}
      error={revoke.error}
      onConfirm={() => revoke.mutate(shown.id, { onSuccess: onClose })}
      onClose={onClose}
    />
  );
}
