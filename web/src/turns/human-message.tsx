// The message of the person, which can be edited.
import { Pencil } from 'lucide-react';
import { type FormEvent, type KeyboardEvent, memo, useState } from 'react';
import type { Fork } from '../conversation/branches.ts';
import type { HumanView } from '../conversation/message-view.ts';
import type { BranchFiles } from '../conversation/submission.ts';
import { useTurnActions } from '../conversation/turn-actions.ts';
import { MessageFiles } from '../files/message-files.tsx';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { isSendKey } from '../ui/send-key.ts';
import { TextArea } from '../ui/text-field.tsx';
import { BranchSwitcher } from './branch-switcher.tsx';

interface HumanMessageProps {
  readonly message: HumanView;
  readonly fork: Fork | undefined;
}

export const HumanMessage = memo(function HumanMessage({ message, fork }: HumanMessageProps) {
  const { threadId, edit, mayHaveChangedFiles } = useTurnActions();
  const [mode, setMode] = useState<'shown' | 'edited' | 'left'>('shown');
  if (mode === 'edited')
    return (
      <EditForm
        text={message.text}
        isTextNeeded={message.files.length === 0}
        mayRestore={mayHaveChangedFiles(message.id)}
        onCancel={() => setMode('left')}
        onSend={(text, files) => {
          setMode('left');
          edit({ messageId: message.id, content: { text, files: message.files }, files });
        }}
      />
    );
  return (
    <div className="group/human grid min-w-0 justify-items-end gap-0.5">
      <h2 className="sr-only">You</h2>
      {message.files.length > 0 && <MessageFiles threadId={threadId} files={message.files} />}
      <SaidText message={message} />
      <div className="-mr-1.5 flex min-h-8 items-center">
        <div className="flex items-center opacity-0 transition-opacity group-focus-within/human:opacity-100 group-hover/human:opacity-100 pointer-coarse:opacity-100">
          {message.text !== '' && <CopyButton text={message.text} label="Copy message" />}
          {threadId !== undefined && (
            <Button
              variant="quiet"
              size="icon-small"
              aria-label="Edit message"
              title="Edit message"
              autoFocus={mode === 'left'}
              onClick={() => setMode('edited')}
              className="group-data-[busy=true]/turns:hidden"
            >
              <Pencil />
            </Button>
          )}
        </div>
        {threadId !== undefined && fork !== undefined && (
          <BranchSwitcher threadId={threadId} fork={fork} label="Versions of this message" />
        )}
      </div>
    </div>
  );
});

interface EditFormProps {
  readonly text: string;
  /** False when there are files, which can be sent without a text. */
  readonly isTextNeeded: boolean;
  /** Whether files may have changed since the message was sent. */
  readonly mayRestore: boolean;
  readonly onSend: (text: string, files: BranchFiles) => void;
  readonly onCancel: () => void;
}

function EditForm({ text, isTextNeeded, mayRestore, onSend, onCancel }: EditFormProps) {
  const [draft, setDraft] = useState(text);
  const [files, setFiles] = useState<BranchFiles>('kept');
  const canSend = draft.trim() !== '' || !isTextNeeded;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (canSend) onSend(draft.trim(), files);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onCancel();
    if (!isSendKey(event) || !canSend) return;
    event.preventDefault();
    onSend(draft.trim(), files);
  };
  return (
    <form
      onSubmit={submit}
      aria-label="Edit message"
      className="grid min-w-0 gap-2.5 rounded-2xl border border-input bg-surface p-3 shadow-soft"
    >
      <TextArea
        label="Your message"
        isLabelHidden
        dir="auto"
        value={draft}
        autoFocus
        ref={putCaretAtEnd}
        onKeyDown={onKeyDown}
        onChange={({ target }) => setDraft(target.value)}
        className="resize-none border-transparent bg-transparent px-1.5 py-1 text-[0.9875rem] sm:text-[0.9875rem]"
      />
      {mayRestore && (
        <label className="flex items-center gap-2.5 px-1.5 text-[0.8125rem] pointer-coarse:min-h-10">
          <input
            type="checkbox"
            checked={files === 'restored'}
            onChange={({ target }) => setFiles(target.checked ? 'restored' : 'kept')}
            className="size-4 accent-primary"
          />
          Also restore the files to that point
        </label>
      )}
      <div className="flex flex-wrap items-center justify-end gap-2">
        <p className="mr-auto px-1.5 text-[0.8125rem] text-muted-foreground">
          The chat continues from here. The earlier version is kept.
        </p>
        <Button variant="ghost" size="small" onClick={onCancel}>
          Cancel
        </Button>
        <Button
          type="submit"
          size="small"
          disabled={!canSend}
          className="group-data-[busy=true]/turns:hidden"
        >
          Send
        </Button>
      </div>
    </form>
  );
}

function putCaretAtEnd(box: HTMLTextAreaElement | null): void {
  if (box === null) return;
  box.setSelectionRange(box.value.length, box.value.length);
  box.scrollTop = box.scrollHeight;
}

/** Shows nothing when files were sent without a text. */
export function SaidText({ message: { id, text } }: { readonly message: HumanView }) {
  if (text === '') return null;
  return (
    <div
      dir="auto"
      data-role="human"
      data-message={id}
      className="max-w-[85%] min-w-0 rounded-2xl rounded-br-md bg-accent px-4 py-2.5 text-[0.9875rem] leading-relaxed whitespace-pre-wrap [overflow-wrap:anywhere]"
    >
      {text}
    </div>
  );
}
