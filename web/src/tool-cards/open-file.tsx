// Opens a file of the thread beside the conversation.

import { useFilePanel } from '../files/file-panel.ts';
import { isThreadPath } from '../files/file-path.ts';
import { Button } from '../ui/button.tsx';

export function OpenFile({ path }: { readonly path: string }) {
  const panel = useFilePanel();
  if (!isThreadPath(path)) return null;
  return (
    <Button look="quiet" size="small" onClick={() => panel.show({ kind: 'file', path })}>
      Open file
    </Button>
  );
}
