// The frame of the file panel: beside the conversation, and on small screens over it.
import { Dialog } from 'radix-ui';
import { lazy, memo, Suspense, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { Spinner } from '../ui/spinner.tsx';
import { useIsWide } from '../ui/use-is-wide.ts';
import { useFilePanel } from './file-panel.ts';

const FilePanelContent = lazy(() => import('./file-panel-content.tsx'));

interface FilePanelFrameProps {
  readonly threadId: string | undefined;
  /** Changes whenever the agent may have changed files. */
  readonly version: string;
}

export const FilePanelFrame = memo(function FilePanelFrame({ threadId, version }: FilePanelFrameProps) {
  const panel = useFilePanel();
  const view = useSyncExternalStore(panel.subscribe, panel.view);
  const isWide = useIsWide();
  const opener = useOpener(view.kind !== 'closed');
  if (threadId === undefined || view.kind === 'closed') return null;
  const close = () => {
    panel.show({ kind: 'closed' });
    opener()?.focus();
  };
  const content = (
    <Suspense fallback={<Spinner className="m-auto" />}>
      <FilePanelContent
        threadId={threadId}
        version={version}
        view={view}
        onShow={panel.show}
        onClose={close}
      />
    </Suspense>
  );
  if (isWide)
    return (
      <section
        aria-label="Files"
        onKeyDown={(event) => event.key === 'Escape' && !event.defaultPrevented && close()}
        className="flex w-[clamp(22rem,40vw,52rem)] shrink-0 animate-fade flex-col border-l border-border bg-background"
      >
        {content}
      </section>
    );
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && close()}>
      <Dialog.Portal>
        <Dialog.Content
          aria-describedby={undefined}
          onCloseAutoFocus={(event) => event.preventDefault()}
          className="fixed inset-0 z-40 flex animate-fade flex-col bg-background pb-[env(safe-area-inset-bottom)] outline-hidden"
        >
          <Dialog.Title className="sr-only">Files</Dialog.Title>
          {content}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
});

/** Returns the element that had the focus when the panel was opened. */
function useOpener(isOpen: boolean): () => HTMLElement | undefined {
  const opener = useRef<Element>(undefined);
  const [wasOpen, setWasOpen] = useState(isOpen);
  if (isOpen !== wasOpen) {
    setWasOpen(isOpen);
    if (isOpen) opener.current = document.activeElement ?? undefined;
  }
  useEffect(() => {
    if (!isOpen) opener.current = undefined;
  }, [isOpen]);
  return () => (opener.current instanceof HTMLElement ? opener.current : undefined);
}
