// One file in the list, with its conversion and its actions.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Download, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { downloadUrl, type ThreadFile } from '../api/file-shapes.ts';
import { useServices } from '../services/services.tsx';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { relativeTime } from '../ui/relative-time.ts';
import { nameOf, shortPath, sizeText } from './file-kind.ts';
import { ConversionNote, FileIcon } from './file-marks.tsx';
import { refreshFiles } from './thread-files.ts';

interface FileRowProps {
  readonly threadId: string;
  readonly file: ThreadFile;
  readonly onOpen: (path: string) => void;
}

export function FileRow({ threadId, file, onOpen }: FileRowProps) {
  const [isRemoving, setRemoving] = useState(false);
  const { path, size, modifiedAt, isPresented, isConverting, conversionError } = file;
  const name = nameOf(path);
  const [area, ...folders] = shortPath(path).split('/').slice(0, -1);
  return (
    <li className="group/file flex min-w-0 items-center rounded-lg [contain-intrinsic-size:auto_3.25rem] [content-visibility:auto] hover:bg-accent">
      <button
        type="button"
        onClick={() => onOpen(path)}
        className="flex min-w-0 flex-1 items-center gap-3 rounded-lg px-2 py-2 text-left focus-visible:-outline-offset-2"
      >
        <span className="grid size-8 shrink-0 place-items-center rounded-lg bg-primary-soft text-primary">
          <FileIcon name={name} className="size-4" />
        </span>
        <span className="min-w-0 flex-1">
          <span className="block truncate text-sm leading-5">
            {folders.length > 0 && <span className="text-muted-foreground">{folders.join('/')}/</span>}
            {name}
          </span>
          <span className="block truncate text-xs leading-4 text-muted-foreground">
            {[sizeText(size), relativeTime(new Date(modifiedAt), new Date())].join(' · ')}
            {isPresented && ' · shown to you'}
          </span>
          <ConversionNote isConverting={isConverting} error={conversionError} />
        </span>
      </button>
      <span className="flex shrink-0 pr-1">
        <a
          href={downloadUrl(threadId, path)}
          download
          aria-label={`Download ${name}`}
          title="Download"
          className="grid size-8 place-items-center rounded-lg pointer-coarse:size-10 text-muted-foreground hover:bg-background hover:text-foreground"
        >
          <Download aria-hidden className="size-4" />
        </a>
        {area === 'uploads' && (
          <Button
            variant="quiet"
            size="icon-small"
            aria-label={`Remove ${name}`}
            title="Remove"
            onClick={() => setRemoving(true)}
            className="hover:bg-background hover:text-danger"
          >
            <Trash2 />
          </Button>
        )}
      </span>
      {isRemoving && (
        <RemoveUploadDialog threadId={threadId} name={name} onClose={() => setRemoving(false)} />
      )}
    </li>
  );
}

interface RemoveUploadDialogProps {
  readonly threadId: string;
  readonly name: string;
  readonly onClose: () => void;
}

function RemoveUploadDialog({ threadId, name, onClose }: RemoveUploadDialogProps) {
  const { api } = useServices();
  const queryClient = useQueryClient();
  const removal = useMutation({
    mutationFn: () => api.removeUpload(threadId, name),
    onSuccess: () => {
      onClose();
      return refreshFiles(queryClient, threadId);
    },
  });
  return (
    <ConfirmDialog
      title="Remove this file?"
      description={`${name} is deleted from this chat. The agent can no longer read it.`}
      action="Remove"
      isPending={removal.isPending}
      error={removal.error}
      onConfirm={() => removal.mutate()}
      onClose={onClose}
    />
  );
}
