// The content of the file panel: the list, or one file.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useServices } from '../services/services.tsx';
import { FileList } from './file-list.tsx';
import type { PanelView } from './file-panel.ts';
import { FileView } from './file-view.tsx';
import { refreshFiles, threadFilesQuery } from './thread-files.ts';

interface FilePanelContentProps {
  readonly threadId: string;
  readonly version: string;
  readonly view: Exclude<PanelView, { kind: 'closed' }>;
  readonly onShow: (view: PanelView) => void;
  readonly onClose: () => void;
}

export default function FilePanelContent(props: FilePanelContentProps) {
  const { threadId, version, view, onShow, onClose } = props;
  const { api } = useServices();
  const list = useQuery(threadFilesQuery(api, threadId));
  useRefresh(threadId, version);
  if (view.kind === 'list')
    return (
      <FileList
        threadId={threadId}
        list={list}
        onOpen={(path) => onShow({ kind: 'file', path })}
        onClose={onClose}
      />
    );
  return (
    <FileView
      key={view.path}
      threadId={threadId}
      path={view.path}
      file={list.data?.files.find(({ path }) => path === view.path)}
      onBack={() => onShow({ kind: 'list' })}
      onOpen={(path) => onShow({ kind: 'file', path })}
      onClose={onClose}
    />
  );
}

/** Several tools may end together, so the refresh waits and sends one request. */
const PAUSE_MS = 300;

function useRefresh(threadId: string, version: string): void {
  const queryClient = useQueryClient();
  const known = useRef(version);
  useEffect(() => {
    if (known.current === version) return;
    const timer = setTimeout(() => {
      known.current = version;
      refreshFiles(queryClient, threadId).catch(reportError);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [queryClient, threadId, version]);
}
