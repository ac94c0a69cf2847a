// Gives a thread another title.
import type { FormEvent } from 'react';
import { formText } from '../auth/form-text.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Notice } from '../ui/notice.tsx';
import { TextField } from '../ui/text-field.tsx';
import { useRenameThread } from './thread-queries.ts';

interface ThreadDialogProps {
  readonly threadId: string;
  readonly title: string;
  readonly onClose: () => void;
}

export function RenameThreadDialog({ threadId, title, onClose }: ThreadDialogProps) {
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
          <Button look="secondary" onClick={onClose}>
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

/** What is typed replaces the title. */
function selectText(box: HTMLInputElement | null): void {
  box?.select();
}
