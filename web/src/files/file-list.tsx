// The files of a thread: uploads, results of the agent, and its workspace.
import type { UseQueryResult } from '@tanstack/react-query';
import { Tabs } from 'radix-ui';
import { useState } from 'react';
import type { FilesUsage, ThreadFile, ThreadFiles } from '../api/file-shapes.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { countText, sizeText } from './file-kind.ts';
import { FileRow } from './file-row.tsx';
import { PanelHeader } from './panel-header.tsx';

const AREAS = [
  { id: 'outputs', label: 'Results', empty: 'Files the agent makes for you appear here.' },
  { id: 'uploads', label: 'Uploads', empty: 'Files you add to a message appear here.' },
  { id: 'workspace', label: 'Workspace', empty: 'Files the agent works with appear here.' },
] as const;
type Area = (typeof AREAS)[number]['id'];

interface FileListProps {
  readonly threadId: string;
  readonly list: UseQueryResult<ThreadFiles>;
  readonly onOpen: (path: string) => void;
  readonly onClose: () => void;
}

export function FileList({ threadId, list, onOpen, onClose }: FileListProps) {
  const [chosen, setChosen] = useState<Area>();
  const files = (list.data?.files ?? []).filter(isShown);
  const first = AREAS.find(({ id }) => files.some((file) => isIn(file, id)))?.id ?? 'outputs';
  const area = chosen ?? first;
  // The first tab with files when the list arrives. It stays selected even when they are gone.
  if (chosen === undefined && list.data !== undefined) setChosen(first);
  return (
    <>
      <PanelHeader title="Files" onClose={onClose} />
      <Tabs.Root
        value={area}
        onValueChange={(next) => setChosen(AREAS.find(({ id }) => id === next)?.id)}
        className="flex min-h-0 flex-1 flex-col"
      >
        <Tabs.List aria-label="Kinds of files" className="flex shrink-0 gap-1 px-3 pt-3 pb-2">
          {AREAS.map(({ id, label }) => (
            <Tabs.Trigger
              key={id}
              value={id}
              className="flex h-8 items-center gap-1.5 pointer-coarse:h-10 rounded-lg px-2.5 text-[0.8125rem] font-medium text-muted-foreground hover:text-foreground data-[state=active]:bg-accent data-[state=active]:text-foreground"
            >
              {label}
              <span className="text-xs tabular-nums">{files.filter((file) => isIn(file, id)).length}</span>
            </Tabs.Trigger>
          ))}
        </Tabs.List>
        {list.isError && <Failed onRetry={() => void list.refetch().catch(reportError)} />}
        {AREAS.map(({ id, empty }) => (
          <Tabs.Content
            key={id}
            value={id}
            className="min-h-0 flex-1 overflow-y-auto px-3 pb-3 focus-visible:-outline-offset-2"
          >
            <Rows
              threadId={threadId}
              files={files.filter((file) => isIn(file, id))}
              empty={list.isPending ? 'Loading files…' : empty}
              onOpen={onOpen}
            />
          </Tabs.Content>
        ))}
      </Tabs.Root>
      {list.data?.isComplete === false && (
        <p className="border-t border-border px-5 py-2 text-xs text-muted-foreground">
          Not all files are listed.
        </p>
      )}
      {list.data?.usage !== undefined && <Usage {...list.data.usage} />}
    </>
  );
}

interface RowsProps {
  readonly threadId: string;
  readonly files: readonly ThreadFile[];
  readonly empty: string;
  readonly onOpen: (path: string) => void;
}

function Rows({ threadId, files, empty, onOpen }: RowsProps) {
  if (files.length === 0)
    return <p className="px-2 py-8 text-center text-sm text-balance text-muted-foreground">{empty}</p>;
  return (
    <ul className="grid gap-0.5">
      {files.map((file) => (
        <FileRow key={file.path} threadId={threadId} file={file} onOpen={onOpen} />
      ))}
    </ul>
  );
}

/** Shows how much of its quota the thread uses. */
function Usage({ bytes, limit, files, fileLimit }: FilesUsage) {
  const share = Math.min(1, Math.max(bytes / limit, files / fileLimit));
  return (
    <div className="grid shrink-0 gap-1.5 border-t border-border px-5 py-3">
      <p className="text-xs text-muted-foreground">
        {sizeText(bytes)} of {sizeText(limit)} and {countText(files)} of {countText(fileLimit)} files used by
        this chat
      </p>
      <div aria-hidden className="h-1 overflow-hidden rounded-full bg-accent">
        <div
          className={`h-full rounded-full ${share > 0.9 ? 'bg-warning' : 'bg-primary'}`}
          style={{ width: `${Math.max(1, share * 100)}%` }}
        />
      </div>
    </div>
  );
}

function Failed({ onRetry }: { readonly onRetry: () => void }) {
  return (
    <Notice
      tone="danger"
      className="mx-3 mb-2"
      actions={
        <Button variant="secondary" size="small" onClick={onRetry}>
          Try again
        </Button>
      }
    >
      The files could not be loaded.
    </Notice>
  );
}

/** Whether the file is shown. Hidden files are for programs. */
function isShown({ path }: ThreadFile): boolean {
  return !/\/\.[^/]/.test(path);
}

function isIn({ path }: ThreadFile, area: Area): boolean {
  return path.startsWith(`/mnt/user-data/${area}/`);
}
