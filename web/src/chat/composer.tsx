// The box to write in: grows with the text, sends on Enter, stops what runs.
import { ArrowUp, Square } from 'lucide-react';
import { type ClipboardEvent, type KeyboardEvent, type RefObject, useLayoutEffect } from 'react';
import { AttachButton } from '../files/attach-button.tsx';
import { AttachmentList } from '../files/attachment-list.tsx';
import type { AttachmentState } from '../files/upload-queue.ts';
import type { Attachments } from '../files/use-attachments.ts';
import { Button } from '../ui/button.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { ModelPicker } from './model-picker.tsx';
import type { Conversation } from './use-conversation.ts';
import type { RunOptionsChoice } from './use-run-options.ts';

interface ComposerProps {
  readonly ref: RefObject<HTMLTextAreaElement | null>;
  readonly draft: string;
  readonly onDraft: (text: string) => void;
  readonly onSend: (text: string) => void;
  readonly attachments: Attachments;
  readonly onStop: () => void;
  readonly phase: Conversation['phase'];
  readonly choice: RunOptionsChoice;
}

export function Composer(props: ComposerProps) {
  const { ref, draft, onDraft, onSend, onStop, attachments, phase, choice } = props;
  const isBusy = phase === 'answering' || phase === 'stopping';
  const isUploading = attachments.list.some(({ state }) => isOnItsWay(state));
  const hasArrived = attachments.list.some(({ state }) => state.kind === 'done');
  const hasContent = draft.trim() !== '' || hasArrived;
  const canSend = phase === 'idle' && hasContent && !isUploading;
  useGrowing(ref, draft);

  const send = () => {
    if (canSend) onSend(draft.trim());
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // While an input method composes a word, Enter belongs to it.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };

  const onPaste = (event: ClipboardEvent) => {
    const { files, types } = event.clipboardData;
    // Office programs put a picture of a text beside the text.
    if (files.length === 0 || types.includes('text/plain')) return;
    event.preventDefault();
    attachments.add([...files]);
  };

  return (
    <form
      aria-label="Your message"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      className="min-w-0 rounded-2xl border border-input bg-surface shadow-soft transition-[border-color,box-shadow] focus-within:border-ring focus-within:ring-3 focus-within:ring-ring/15"
    >
      <AttachmentList {...attachments} />
      <textarea
        ref={ref}
        rows={1}
        // biome-ignore lint/a11y/noAutofocus: writing is what this screen is for.
        autoFocus={matchMedia('(hover: hover)').matches}
        aria-label="Message"
        placeholder={attachments.list.length > 0 ? 'Say what to do, or just send' : 'Write a message'}
        enterKeyHint="send"
        value={draft}
        onChange={(event) => onDraft(event.target.value)}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
        className="block max-h-[40dvh] w-full resize-none bg-transparent px-4 pt-3.5 pb-1 text-base leading-relaxed outline-hidden placeholder:text-muted-foreground"
      />
      <div className="flex items-center gap-1.5 px-2.5 pb-2.5">
        <AttachButton onFiles={attachments.add} />
        <ModelPicker choice={choice} />
        <span className="ml-auto hidden text-xs text-muted-foreground lg:block">
          {hintFor(draft, isUploading)}
        </span>
        {isBusy ? (
          <StopButton isStopping={phase === 'stopping'} onStop={onStop} />
        ) : (
          <Button
            type="submit"
            size="icon"
            aria-label="Send"
            disabled={!canSend}
            className="ml-auto rounded-xl lg:ml-2"
          >
            <ArrowUp />
          </Button>
        )}
      </div>
    </form>
  );
}

function isOnItsWay({ kind }: AttachmentState): boolean {
  return kind === 'waiting' || kind === 'sending';
}

function hintFor(draft: string, isUploading: boolean): string {
  if (isUploading) return 'Send when the files are there';
  return draft === '' ? '' : 'Shift + Enter for a new line';
}

interface StopButtonProps {
  readonly isStopping: boolean;
  readonly onStop: () => void;
}

function StopButton({ isStopping, onStop }: StopButtonProps) {
  return (
    <Button
      look="secondary"
      size="icon"
      aria-label={isStopping ? 'Stopping' : 'Stop'}
      disabled={isStopping}
      onClick={onStop}
      className="ml-auto rounded-xl lg:ml-2"
    >
      {isStopping ? <Spinner /> : <Square className="fill-current" />}
    </Button>
  );
}

function useGrowing(ref: RefObject<HTMLTextAreaElement | null>, text: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height follows the text.
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null) return;
    element.style.height = 'auto';
    element.style.height = `${element.scrollHeight}px`;
  }, [ref, text]);
}
