// Waiting messages: for an earlier reply, for the connection, or for the person.
import { CircleAlert, Clock, CloudOff, Pencil, X } from 'lucide-react';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useTurnActions } from '../conversation/turn-actions.ts';
import type { Unread } from '../conversation/unread.ts';
import { MessageFiles } from '../files/message-files.tsx';
import { useServices } from '../services/services.tsx';
import { Button } from '../ui/button.tsx';
import { cn } from '../ui/cn.ts';
import { Spinner } from '../ui/spinner.tsx';
import { TextArea } from '../ui/text-field.tsx';

interface UnreadMessagesProps {
  readonly unread: readonly Unread[];
  /** Moves the message back into the composer. */
  readonly onTakeBack: (unread: Unread) => void;
  readonly onDiscard: (unread: Unread) => void;
}

export function UnreadMessages({ unread, ...actions }: UnreadMessagesProps) {
  if (unread.length === 0) return null;
  return (
    <ul aria-label="Waiting messages" className="not-first:mt-9 grid min-w-0 gap-4">
      {unread.map((it) => (
        <li key={it.id} className="grid min-w-0 justify-items-end gap-1" data-unread={it.state.kind}>
          <UnreadMessage message={it} {...actions} />
        </li>
      ))}
    </ul>
  );
}

interface UnreadMessageProps extends Omit<UnreadMessagesProps, 'unread'> {
  readonly message: Unread;
}

function UnreadMessage({ message, onTakeBack, onDiscard }: UnreadMessageProps) {
  const { outbox } = useServices();
  const { threadId } = useTurnActions();
  const [mode, setMode] = useState<'shown' | 'edited' | 'left'>('shown');
  const { id, text, files, state } = message;
  const finish = (words: string | undefined) => {
    setMode('left');
    // Another tab may have sent the message during the edit.
    if (!outbox.release(id, words) && words !== undefined) onTakeBack({ ...message, text: words });
  };
  if (mode === 'edited')
    return (
      <EditForm
        text={text}
        isTextNeeded={files.length === 0}
        onSave={finish}
        onCancel={() => finish(undefined)}
      />
    );
  const edit = () => {
    if (state.kind !== 'waiting') return onTakeBack(message);
    outbox.hold(id);
    setMode('edited');
  };
  return (
    <>
      {files.length > 0 && <MessageFiles threadId={threadId} files={files} />}
      {text !== '' && (
        <div
          className={cn(
            'max-w-[85%] min-w-0 rounded-2xl rounded-br-md border border-dashed border-input px-4 py-2.5 text-[0.9875rem] leading-relaxed whitespace-pre-wrap [overflow-wrap:anywhere]',
            state.kind === 'refused' && 'border-danger-border',
          )}
        >
          {text}
        </div>
      )}
      <div className="-mr-1.5 flex min-h-8 max-w-full flex-wrap items-center justify-end gap-x-1">
        <Mark state={state} />
        {state.kind !== 'sending' && (
          <>
            <Button
              variant="quiet"
              size="icon-small"
              aria-label="Edit this message"
              title="Edit this message"
              autoFocus={mode === 'left'}
              onClick={edit}
            >
              <Pencil />
            </Button>
            <Button
              variant="quiet"
              size="icon-small"
              aria-label="Discard this message"
              title="Discard this message"
              onClick={() => onDiscard(message)}
            >
              <X />
            </Button>
          </>
        )}
      </div>
    </>
  );
}

function Mark({ state }: Pick<Unread, 'state'>) {
  if (state.kind === 'queued') return <MarkNote icon={<Clock aria-hidden />}>Queued</MarkNote>;
  if (state.kind === 'sending') return <MarkNote icon={<Spinner />}>Sending</MarkNote>;
  if (state.kind === 'waiting')
    return <MarkNote icon={<CloudOff aria-hidden />}>Waiting for the connection</MarkNote>;
  return (
    <MarkNote icon={<CircleAlert aria-hidden />} tone="text-danger">
      Not sent. {state.reason}
    </MarkNote>
  );
}

interface MarkNoteProps {
  readonly icon: ReactNode;
  readonly tone?: string;
  readonly children: ReactNode;
}

function MarkNote({ icon, tone = 'text-muted-foreground', children }: MarkNoteProps) {
  return (
    <p className={cn('flex min-w-0 items-center gap-1.5 px-1 text-[0.8125rem] [&_svg]:size-3.5', tone)}>
      {icon}
      <span className="min-w-0 [overflow-wrap:anywhere]">{children}</span>
    </p>
  );
}

interface EditFormProps {
  readonly text: string;
  /** False when there are files, which can be sent without a text. */
  readonly isTextNeeded: boolean;
  readonly onSave: (text: string) => void;
  readonly onCancel: () => void;
}

function EditForm({ text, isTextNeeded, onSave, onCancel }: EditFormProps) {
  const [draft, setDraft] = useState(text);
  const canSave = draft.trim() !== '' || !isTextNeeded;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (canSave) onSave(draft.trim());
  };
  return (
    <form
      onSubmit={submit}
      aria-label="Edit this message"
      className="grid w-full min-w-0 gap-2.5 rounded-2xl border border-input bg-surface p-3 shadow-soft"
    >
      <TextArea
        label="Your message"
        isLabelHidden
        value={draft}
        autoFocus
        onKeyDown={({ key }) => {
          if (key === 'Escape') onCancel();
        }}
        onChange={({ target }) => setDraft(target.value)}
        className="resize-none border-transparent bg-transparent px-1.5 py-1 text-[0.9875rem] sm:text-[0.9875rem]"
      />
      <div className="flex justify-end gap-2">
        <Button variant="ghost" size="small" onClick={onCancel}>
          Cancel
        </Button>
        <Button type="submit" size="small" disabled={!canSave}>
          Save
        </Button>
      </div>
    </form>
  );
}
