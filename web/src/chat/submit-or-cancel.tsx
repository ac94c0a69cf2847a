// The two ways out of a small form.
import type { ReactNode } from 'react';
import { Button } from '../ui/button.tsx';

interface SubmitOrCancelProps {
  readonly look?: 'primary' | 'danger';
  readonly onCancel: () => void;
  /** What sending the form is called. */
  readonly children: ReactNode;
}

export function SubmitOrCancel({ look = 'primary', onCancel, children }: SubmitOrCancelProps) {
  return (
    <div className="flex flex-wrap gap-2">
      <Button type="submit" size="small" look={look}>
        {children}
      </Button>
      <Button look="ghost" size="small" onClick={onCancel}>
        Cancel
      </Button>
    </div>
  );
}
