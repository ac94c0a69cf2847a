// The composer: a text box that grows, with buttons to send, attach and stop.
import { ArrowUp, Info, Square } from 'lucide-react';
import { type ClipboardEvent, type KeyboardEvent, type RefObject, useId, useLayoutEffect } from 'react';
import type { Conversation } from '../conversation/use-conversation.ts';
import { Button } from '../ui/button.tsx';
import { isSendKey, startsLineOnEnter } from '../ui/send-key.ts';
import { Spinner } from '../ui/spinner.tsx';
import { AttachButton, AttachmentList } from './attachment-list.tsx';
import { GoalButton } from './panels.tsx';
import { AgentPicker, ModelPicker } from './pickers.tsx';
import { SkillList, useSkillChoice } from './skill-choice.tsx';
import type { AttachmentState } from './upload-queue.ts';
import type { Attachments } from './use-attachments.ts';
import { type Draft, useDraftText } from './use-draft.ts';
import type { GoalControl } from './use-goal.ts';
import type { RunOptionsChoice } from './use-run-options.ts';

interface ComposerProps {
  readonly ref: RefObject<HTMLTextAreaElement | null>;
  readonly draft: Draft;
  readonly onSend: (text: string) => void;
  readonly attachments: Attachments;
  readonly onStop: () => void;
  readonly phase: Conversation['phase'];
  /** How a new message affects the question of a waiting run; undefined if no run waits. */
  readonly consequence: string | undefined;
  readonly choice: RunOptionsChoice;
  readonly goal: GoalControl;
}

export function Composer(props: ComposerProps) {
  const { ref, onSend, onStop, attachments, phase, consequence, choice, goal } = props;
  const noteId = useId();
  const draft = useDraftText(props.draft);
  const isBusy = phase === 'answering' || phase === 'stopping';
  const isUploading = attachments.list.some(({ state }) => isOnItsWay(state));
  const hasArrived = attachments.list.some(({ state }) => state.kind === 'done');
  const hasContent = draft.trim() !== '' || hasArrived;
  const canSend = hasContent && !isUploading;
  const skillChoice = useSkillChoice({ text: draft, change: props.draft.change });
  useGrowing(ref, draft);

  const send = () => {
    if (canSend) onSend(draft.trim());
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const isForList = skillChoice.takesKey(event);
    if (!isForList && !isSendKey(event)) return;
    event.preventDefault();
    if (!isForList) send();
  };

  const onPaste = (event: ClipboardEvent) => {
    const { files, types } = event.clipboardData;
    // Office programs also put an image of the text on the clipboard.
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
      className="relative min-w-0 rounded-2xl border border-input bg-surface shadow-soft transition-[border-color,box-shadow] focus-within:border-ring focus-within:ring-3 focus-within:ring-ring/15"
    >
      {consequence !== undefined && (
        <p id={noteId} className="flex gap-2 px-4 pt-3 text-[0.8125rem] leading-snug text-muted-foreground">
          <Info aria-hidden className="mt-px size-4 shrink-0" />
          {consequence}
        </p>
      )}
      <SkillList {...skillChoice} />
      <AttachmentList {...attachments} />
      <textarea
        ref={ref}
        rows={1}
        // biome-ignore lint/a11y/noAutofocus: writing is what this screen is for.
        autoFocus={matchMedia('(hover: hover)').matches}
        aria-label="Message"
        aria-describedby={consequence === undefined ? undefined : noteId}
        {...skillChoice.box}
        placeholder={attachments.list.length > 0 ? 'Add instructions (optional)' : 'Write a message'}
        enterKeyHint={startsLineOnEnter() ? 'enter' : 'send'}
        dir="auto"
        value={draft}
        onChange={(event) => props.draft.change(event.target.value)}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
        className="block field-sizing-content max-h-[40dvh] w-full resize-none bg-transparent px-4 pt-3.5 pb-1 text-base leading-relaxed outline-hidden placeholder:text-muted-foreground"
      />
      <div className="@container flex items-center gap-1.5 px-2.5 pb-2.5">
        <AttachButton onFiles={attachments.add} />
        <AgentPicker chatAgent={choice.chatAgent} />
        <ModelPicker choice={choice} />
        <GoalButton control={goal} phase={phase} />
        <span className="ml-auto hidden text-xs text-muted-foreground @2xl:block">
          {hintFor(draft, { isUploading, isBusy })}
        </span>
        <div className="ml-auto flex gap-1.5 @2xl:ml-2">
          {isBusy && <StopButton isStopping={phase === 'stopping'} onStop={onStop} />}
          {(!isBusy || hasContent) && (
            <Button
              type="submit"
              size="icon"
              aria-label={isBusy ? 'Queue message' : 'Send'}
              title={isBusy ? 'Queue message' : undefined}
              disabled={!canSend}
              className="rounded-xl"
            >
              <ArrowUp />
            </Button>
          )}
        </div>
      </div>
    </form>
  );
}

function isOnItsWay({ kind }: AttachmentState): boolean {
  return kind === 'waiting' || kind === 'sending';
}

interface Hinted {
  readonly isUploading: boolean;
  readonly isBusy: boolean;
}

function hintFor(draft: string, { isUploading, isBusy }: Hinted): string {
  if (isUploading) return 'Send after the upload';
  if (draft === '') return '';
  return isBusy ? 'Sent after this answer' : 'Shift + Enter for a new line';
}

interface StopButtonProps {
  readonly isStopping: boolean;
  readonly onStop: () => void;
}

function StopButton({ isStopping, onStop }: StopButtonProps) {
  return (
    <Button
      variant="secondary"
      size="icon"
      aria-label={isStopping ? 'Stopping' : 'Stop'}
      disabled={isStopping}
      onClick={onStop}
      className="rounded-xl"
    >
      {isStopping ? <Spinner /> : <Square className="fill-current" />}
    </Button>
  );
}

const GROWS_BY_ITSELF = CSS.supports('field-sizing', 'content');

/**
 * Grows the box with its text, only in browsers without `field-sizing`: measuring lays out the whole page on
 * every key.
 */
function useGrowing(ref: RefObject<HTMLTextAreaElement | null>, text: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height follows the text.
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null || GROWS_BY_ITSELF) return;
    element.style.height = 'auto';
    element.style.height = `${element.scrollHeight}px`;
  }, [ref, text]);
}
