// Asks before something is done that cannot be undone.
import { AlertDialog } from 'radix-ui';
import type { ReactNode } from 'react';
import { buttonClass } from './button.tsx';

/** `trigger` is the button that opens it. */
type Props = { trigger: ReactNode; title: string; description: string; action: string; onConfirm: () => void };

export function ConfirmDialog({ trigger, title, description, action, onConfirm }: Props) {
  return (
    <AlertDialog.Root>
      <AlertDialog.Trigger asChild>{trigger}</AlertDialog.Trigger>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className="fixed inset-0 bg-black/45" />
        <AlertDialog.Content className="fixed top-1/2 left-1/2 w-[min(26rem,calc(100vw-2rem))] -translate-1/2 rounded-2xl border bg-surface p-6 shadow-soft">
          <AlertDialog.Title className="text-lg font-semibold tracking-tight">{title}</AlertDialog.Title>
          <AlertDialog.Description className="mt-2 text-sm text-muted-foreground [overflow-wrap:anywhere]">
            {description}
          </AlertDialog.Description>
          <div className="mt-6 flex justify-end gap-2">
            <AlertDialog.Cancel className={buttonClass('secondary')}>Cancel</AlertDialog.Cancel>
            <AlertDialog.Action onClick={onConfirm} className={buttonClass('danger')}>
              {action}
            </AlertDialog.Action>
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
