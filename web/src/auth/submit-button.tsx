// Sends a form, and shows that it is on its way.
import type { ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import { Spinner } from '../ui/spinner.tsx';

interface SubmitButtonProps {
  readonly isPending: boolean;
  /** The form may not be sent now, for another reason. */
  readonly isBlocked?: boolean;
  readonly className?: string;
  readonly children: ReactNode;
}

export function SubmitButton({ isPending, isBlocked = false, className, children }: SubmitButtonProps) {
  return (
    <Button type="submit" disabled={isPending || isBlocked} className={className}>
      {isPending && <Spinner />}
      {children}
    </Button>
  );
}
