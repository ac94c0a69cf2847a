// Has the last answer written anew; where files may have changed, with them as they were or as they are.
import { RefreshCw } from 'lucide-react';
import { Button } from '../ui/button.tsx';
import { Menu, MenuItem } from '../ui/menu.tsx';
import type { BranchFiles } from './submission.ts';

interface AnswerAgainProps {
  readonly mayRestore: boolean;
  readonly onAgain: (files: BranchFiles) => void;
}

export function AnswerAgain({ mayRestore, onAgain }: AnswerAgainProps) {
  const button = (
    <Button
      look="quiet"
      size="icon-small"
      aria-label="Regenerate"
      title="Regenerate"
      {...(mayRestore ? {} : { onClick: () => onAgain('kept') })}
    >
      <RefreshCw />
    </Button>
  );
  if (!mayRestore) return button;
  return (
    <Menu trigger={button} align="start">
      <MenuItem onSelect={() => onAgain('restored')}>Restore files first</MenuItem>
      <MenuItem onSelect={() => onAgain('kept')}>Keep current files</MenuItem>
    </Menu>
  );
}
