// A box beside a button that says more.
import { Popover as Primitive } from 'radix-ui';
import type { ReactNode } from 'react';

interface PopoverProps {
  /** One element that takes a ref and props: a button. */
  readonly trigger: ReactNode;
  /** What the box is about. */
  readonly label: string;
  readonly children: ReactNode;
}

export function Popover({ trigger, label, children }: PopoverProps) {
  return (
    <Primitive.Root>
      <Primitive.Trigger asChild>{trigger}</Primitive.Trigger>
      <Primitive.Portal>
        <Primitive.Content
          aria-label={label}
          align="end"
          sideOffset={6}
          collisionPadding={8}
          className="z-50 w-72 max-w-[calc(100vw-1rem)] animate-rise rounded-xl border border-border bg-surface p-4 shadow-float outline-hidden"
        >
          {children}
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}
