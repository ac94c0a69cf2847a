// One thread in the list, with the actions to open, rename, copy, export and delete it.
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { Copy, Download, Ellipsis, Pencil, Trash2 } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import type { Thread } from '../api/shapes.ts';
import { useServices } from '../services/services.tsx';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog, Dialog } from '../ui/dialog.tsx';
import { useDownload } from '../ui/file-button.tsx';
import { Menu, MenuItem } from '../ui/menu.tsx';
import { Notice } from '../ui/notice.tsx';
import { relativeTime } from '../ui/relative-time.ts';
import { formText, TextField } from '../ui/text-field.tsx';
import { useCopyThread, useDeleteThread, useRenameThread, useTitleOf } from './thread-queries.ts';

interface ThreadLinkProps {
  readonly thread: Thread;
  readonly now: Date;
  readonly onOpen: () => void;
}

export function ThreadLink({ thread, now, onOpen }: ThreadLinkProps) {
  const [dialog, setDialog] = useState<'rename' | 'delete'>();
  const title = useTitleOf(thread);
  const close = () => setDialog(undefined);
  const navigate = useNavigate();
  const copy = useCopyThread();
  const { api } = useServices();
  const exported = useDownload(() => api.threadPackage(thread.thread_id));
  const error = copy.error ?? exported.error;
  const openCopy = () =>
    copy.mutate(thread.thread_id, {
      onSuccess: async (made) => {
        onOpen();
        await navigate({ to: '/threads/$threadId', params: { threadId: made.thread_id } });
      },
    });
  return (
    <li className="group relative">
      <Link
        to="/threads/$threadId"
        params={{ threadId: thread.thread_id }}
        onClick={onOpen}
        className="flex items-center gap-2 rounded-lg py-2 pr-2.5 pl-2.5 text-sm pointer-coarse:py-2.5 group-focus-within:pr-10 group-hover:bg-accent group-hover:pr-10 pointer-coarse:pr-10 data-[status=active]:bg-accent data-[status=active]:font-medium"
      >
        {thread.status === 'busy' && (
          <span className="size-1.5 shrink-0 animate-[breathe_1.4s_ease-in-out_infinite] rounded-full bg-primary">
            <span className="sr-only">Answering: </span>
          </span>
        )}
        <span className="min-w-0 flex-1 truncate">{title}</span>
        <time
          dateTime={thread.state_updated_at}
          className="shrink-0 text-xs font-normal text-muted-foreground tabular-nums group-focus-within:hidden group-hover:hidden"
        >
          {relativeTime(new Date(thread.state_updated_at), now)}
        </time>
      </Link>
      <Menu
        trigger={
          <button
            type="button"
            aria-label={`More for ${title}`}
            className="absolute top-1/2 right-1.5 grid size-7 pointer-coarse:right-0 pointer-coarse:size-10 -translate-y-1/2 place-items-center rounded-md text-muted-foreground opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 hover:text-foreground pointer-coarse:opacity-100 focus-visible:opacity-100 data-[state=open]:opacity-100"
          >
            <Ellipsis aria-hidden className="size-4" />
          </button>
        }
      >
        <MenuItem onSelect={() => setDialog('rename')}>
          <Pencil aria-hidden />
          Rename
        </MenuItem>
        <MenuItem onSelect={openCopy}>
          <Copy aria-hidden />
          Copy chat
        </MenuItem>
        <MenuItem onSelect={() => exported.mutate()}>
          <Download aria-hidden />
          Export chat
        </MenuItem>
        <MenuItem tone="danger" onSelect={() => setDialog('delete')}>
          <Trash2 aria-hidden />
          Delete
        </MenuItem>
      </Menu>
      {error !== null && (
        <p role="alert" className="px-2.5 pb-1 text-[0.8125rem] text-danger">
          {error.message}
        </p>
      )}
      {dialog === 'rename' && (
        <RenameThreadDialog threadId={thread.thread_id} title={title} onClose={close} />
      )}
      {dialog === 'delete' && (
        <DeleteThreadDialog threadId={thread.thread_id} title={title} onClose={close} />
      )}
    </li>
  );
}

interface ThreadDialogProps {
  readonly threadId: string;
  readonly title: string;
  readonly onClose: () => void;
}

function RenameThreadDialog({ threadId, title, onClose }: ThreadDialogProps) {
  const rename = useRenameThread();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const next = formText(new FormData(event.currentTarget), 'title').trim();
    if (next === '' || next === title) return onClose();
    rename.mutate({ threadId, title: next }, { onSuccess: onClose });
  };
  return (
    <Dialog open onClose={onClose} title="Rename chat">
      <form onSubmit={submit} className="grid gap-4">
        {rename.error !== null && <Notice tone="danger">{rename.error.message}</Notice>}
        <TextField
          label="Title"
          name="title"
          dir="auto"
          defaultValue={title}
          maxLength={200}
          required
          autoFocus
          ref={selectText}
        />
        <div className="flex justify-end gap-2">
          <Button variant="secondary" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" disabled={rename.isPending}>
            Rename
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** Selects the title, so that the typed text replaces it. */
function selectText(box: HTMLInputElement | null): void {
  box?.select();
}

interface DeleteThreadDialogProps {
  readonly threadId: string;
  readonly title: string;
  readonly onClose: () => void;
}

function DeleteThreadDialog({ threadId, title, onClose }: DeleteThreadDialogProps) {
  const { threadId: shown } = useParams({ strict: false });
  const navigate = useNavigate();
  const remove = useDeleteThread(async (deleted) => {
    onClose();
    if (shown === deleted) await navigate({ to: '/' });
  });
  return (
    <ConfirmDialog
      title="Delete this chat?"
      description={
        <>
          <span className="font-medium text-foreground">{title}</span> and its files are deleted for good.
        </>
      }
      action="Delete"
      isPending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(threadId)}
      onClose={onClose}
    />
  );
}
