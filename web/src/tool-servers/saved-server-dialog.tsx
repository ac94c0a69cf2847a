// After a tool server was written: whether it works.
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ServerTestView } from './server-test.tsx';
import type { useTestServer } from './tool-server-queries.ts';

interface SavedServerDialogProps {
  readonly title: string;
  readonly tested: string;
  readonly test: ReturnType<typeof useTestServer>;
  readonly onClose: () => void;
}

export function SavedServerDialog({ title, tested, test, onClose }: SavedServerDialogProps) {
  const isFailed = test.isError || test.data?.success === false;
  return (
    <Dialog open onClose={onClose} title={title}>
      <div className="grid gap-4">
        <p className="text-sm text-muted-foreground">The settings are saved.</p>
        <ServerTestView name={tested} test={test} />
        <div className="flex flex-wrap justify-end gap-2">
          {isFailed && (
            <Button look="secondary" onClick={() => test.mutate(tested)}>
              Test again
            </Button>
          )}
          <Button onClick={onClose}>{test.isPending ? 'Close' : 'Done'}</Button>
        </div>
      </div>
    </Dialog>
  );
}
