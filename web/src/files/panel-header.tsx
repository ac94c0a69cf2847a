// The header of the file panel: its title and the close button.
import { X } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { Button } from '../ui/button.tsx';

interface PanelHeaderProps {
  readonly title: string;
  readonly before?: ReactNode;
  readonly children?: ReactNode;
  readonly onClose: () => void;
}

export function PanelHeader({ title, before, children, onClose }: PanelHeaderProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  // Moves the focus into a panel that was opened by keyboard.
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <header className="flex h-14 shrink-0 items-center gap-1 border-b border-border px-2 md:h-13">
      {before}
      <h2
        ref={heading}
        tabIndex={-1}
        title={title}
        className="min-w-0 flex-1 truncate px-2 text-[0.9375rem] font-semibold tracking-tight outline-hidden"
      >
        {title}
      </h2>
      {children}
      <Button variant="quiet" size="icon" aria-label="Close files" title="Close" onClick={onClose}>
        <X />
      </Button>
    </header>
  );
}
