// A modal dialog: title, description, content. Radix keeps the focus inside and restores it afterwards.
import { X } from 'lucide-react';
import { Dialog as Primitive } from 'radix-ui';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Notice } from './notice.tsx';

const WIDTHS = {
  regular: 'w-[min(28rem,calc(100vw-2rem))]',
  wide: 'w-[min(44rem,calc(100vw-2rem))]',
} as const;

interface DialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly description?: ReactNode;
  /** `wide`: for texts and forms of many fields. */
  readonly width?: keyof typeof WIDTHS;
  readonly children: ReactNode;
}

export function Dialog({ open, onClose, title, description, width = 'regular', children }: DialogProps) {
  return (
    <Primitive.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Primitive.Portal>
        <Primitive.Overlay className="fixed inset-0 z-50 animate-fade bg-black/45" />
        <Primitive.Content
          className={`fixed top-1/2 left-1/2 z-50 max-h-[90dvh] ${WIDTHS[width]} -translate-1/2 animate-fade overflow-y-auto rounded-2xl border border-border bg-surface p-6 shadow-float [overflow-wrap:anywhere]`}
          {...(description === undefined ? { 'aria-describedby': undefined } : {})}
        >
          <Primitive.Title className="pr-8 text-lg font-semibold tracking-tight">{title}</Primitive.Title>
          {description !== undefined && (
            <Primitive.Description className="mt-1.5 text-sm leading-relaxed text-muted-foreground">
              {description}
            </Primitive.Description>
          )}
          <div className="mt-5">{children}</div>
          <Primitive.Close asChild>
            <Button variant="quiet" size="icon-small" aria-label="Close" className="absolute top-4 right-4">
              <X />
            </Button>
          </Primitive.Close>
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}

interface ConfirmDialogProps {
  /** A question to the person. */
  readonly title: string;
  /** Describes what will be lost. */
  readonly description: ReactNode;
  /** The label of the confirming button. */
  readonly action: string;
  readonly isPending: boolean;
  /** Why the action failed. */
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
        <Button variant="secondary" onClick={onClose}>
          Cancel
        </Button>
        <Button variant="danger" disabled={isPending} onClick={onConfirm}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
