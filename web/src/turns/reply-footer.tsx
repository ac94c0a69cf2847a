// The footer of a reply: its usage, and the button that regenerates it.
import { RefreshCw } from 'lucide-react';
import type { RunUsage } from '../api/shapes.ts';
import type { BranchFiles } from '../conversation/submission.ts';
import { turnUsage } from '../conversation/usage.ts';
import { Button } from '../ui/button.tsx';
import { Menu, MenuItem } from '../ui/menu.tsx';
import { costText, tokensText, useModelNames } from '../usage/amounts.ts';

interface ReplyAgainProps {
  readonly mayRestore: boolean;
  readonly onAgain: (files: BranchFiles) => void;
}

export function ReplyAgain({ mayRestore, onAgain }: ReplyAgainProps) {
  const button = (
    <Button
      variant="quiet"
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

interface UsageNoteProps {
  /** All runs that worked on the reply. */
  readonly runs: readonly RunUsage[];
}

export function UsageNote({ runs }: UsageNoteProps) {
  const nameOf = useModelNames();
  const usage = turnUsage(runs);
  if (usage === undefined) return null;
  const parts = [`${tokensText(usage.tokens)} tokens`, costText(usage), usage.models.map(nameOf).join(', ')];
  return (
    <p className="px-2 py-1 text-xs text-muted-foreground tabular-nums [overflow-wrap:anywhere]">
      <span className="sr-only">This answer took </span>
      {parts.filter(Boolean).join(' · ')}
    </p>
  );
}
