// Opens and closes the panel of files.
import { FolderOpen } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { Button } from '../ui/button.tsx';
import { useFilePanel } from './file-panel.ts';

export function FilesButton() {
  const panel = useFilePanel();
  const isOpen = useSyncExternalStore(panel.subscribe, panel.view).kind !== 'closed';
  return (
    <Button
      look="quiet"
      size="icon"
      aria-label="Files"
      aria-expanded={isOpen}
      title="Files of this chat"
      onClick={() => panel.show({ kind: isOpen ? 'closed' : 'list' })}
      className="aria-expanded:bg-accent aria-expanded:text-foreground"
    >
      <FolderOpen />
    </Button>
  );
}
