// Opens a file of the thread beside the conversation.
import { Button } from '../ui/button.tsx';
import { isThreadPath } from './file-kind.ts';
import { useFilePanel } from './file-panel.ts';

export function OpenFile({ path }: { readonly path: string }) {
  const panel = useFilePanel();
  if (!isThreadPath(path)) return null;
  return (
    <Button variant="quiet" size="small" onClick={() => panel.show({ kind: 'file', path })}>
      Open file
    </Button>
  );
}
