// The attachments of the next message: the button that adds them, and the list with their progress.
import { Paperclip, RotateCcw, X } from 'lucide-react';
import { memo, useRef } from 'react';
import { sizeText } from '../files/file-kind.ts';
import { ConversionNote, FileIcon } from '../files/file-marks.tsx';
import { Button } from '../ui/button.tsx';
import { cn } from '../ui/cn.ts';
import type { Attachment, AttachmentState } from './upload-queue.ts';
import type { Attachments } from './use-attachments.ts';

export function AttachButton({ onFiles }: { readonly onFiles: (files: readonly File[]) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button
        variant="quiet"
        size="icon"
        aria-label="Add files"
        title="Add files; you can also drop or paste them"
        onClick={() => input.current?.click()}
        className="rounded-xl"
      >
        <Paperclip />
      </Button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to add"
        onChange={({ currentTarget }) => {
          onFiles([...(currentTarget.files ?? [])]);
          // Allows the same file to be selected again.
          currentTarget.value = '';
        }}
      />
    </>
  );
}

type AttachmentListProps = Pick<Attachments, 'list' | 'conversions' | 'retry' | 'remove'>;

export function AttachmentList({ list, conversions, retry, remove }: AttachmentListProps) {
  if (list.length === 0) return null;
  return (
    <>
      <ul
        aria-label="Files of this message"
        className="grid max-h-48 grid-cols-[repeat(auto-fill,minmax(min(12rem,100%),1fr))] gap-2 overflow-y-auto px-3 pt-3 pb-0.5"
      >
        {list.map((attachment) => (
          <Chip
            key={attachment.key}
            attachment={attachment}
            isConverting={conversions.get(attachment.key)?.isConverting ?? false}
            conversionError={conversions.get(attachment.key)?.error}
            onRetry={retry}
            onRemove={remove}
          />
        ))}
      </ul>
      <p role="status" className="sr-only">
        {summaryOf(list)}
      </p>
    </>
  );
}

interface ChipProps {
  readonly attachment: Attachment;
  readonly isConverting: boolean;
  readonly conversionError: string | undefined;
  readonly onRetry: (key: string) => void;
  readonly onRemove: (key: string) => void;
}

const Chip = memo(function Chip(props: ChipProps) {
  const { attachment, isConverting, conversionError, onRetry, onRemove } = props;
  const { key, state } = attachment;
  const name = state.kind === 'done' ? state.uploaded.filename : attachment.name;
  const isFailed = state.kind === 'failed';
  const isGoing = state.kind === 'waiting' || state.kind === 'sending';
  return (
    <li
      data-attachment={name}
      data-attachment-state={state.kind}
      className={cn(
        'flex min-w-0 items-center gap-2.5 rounded-xl border bg-background p-1.5',
        isFailed ? 'border-danger-border' : 'border-border',
        (isFailed || conversionError !== undefined) && 'col-span-full',
      )}
    >
      <Picture attachment={attachment} />
      <div className="min-w-0 flex-1">
        <p className="truncate text-[0.8125rem] leading-5 font-medium" title={name}>
          {name}
        </p>
        <Progress name={name} size={attachment.size} state={state} />
        <ConversionNote isConverting={isConverting} error={conversionError} />
      </div>
      {state.kind === 'failed' && state.mayRetry && (
        <Button
          variant="secondary"
          size="small"
          aria-label={`Try again: ${name}`}
          onClick={() => onRetry(key)}
        >
          <RotateCcw aria-hidden />
          Try again
        </Button>
      )}
      <Button
        variant="quiet"
        size="icon-small"
        aria-label={`${isGoing ? 'Cancel' : 'Remove'} ${name}`}
        title={isGoing ? 'Cancel' : 'Remove'}
        onClick={() => onRemove(key)}
        className="self-center"
      >
        <X />
      </Button>
    </li>
  );
});

function Picture({ attachment: { name, preview, state } }: { readonly attachment: Attachment }) {
  const isFailed = state.kind === 'failed';
  if (preview !== undefined && !isFailed)
    return <img src={preview} alt="" className="size-9 shrink-0 rounded-lg bg-muted object-cover" />;
  return (
    <span
      className={cn(
        'grid size-9 shrink-0 place-items-center rounded-lg',
        isFailed ? 'bg-danger-soft text-danger' : 'bg-primary-soft text-primary',
      )}
    >
      <FileIcon name={name} className="size-4.5" />
    </span>
  );
}

interface ProgressProps {
  readonly name: string;
  readonly size: number;
  readonly state: AttachmentState;
}

function Progress({ name, size, state }: ProgressProps) {
  if (state.kind === 'failed')
    return (
      <p role="alert" className="text-xs leading-4 text-danger">
        {state.sentence}
      </p>
    );
  if (state.kind === 'sending') {
    const percent = Math.floor(state.share * 100);
    return (
      <div
        role="progressbar"
        aria-label={`Upload of ${name}`}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        className="my-1.5 h-1 overflow-hidden rounded-full bg-accent"
      >
        <div
          className={cn(
            'h-full rounded-full bg-primary transition-[width] duration-200',
            state.share === 1 && 'animate-pulse',
          )}
          style={{ width: `${percent}%` }}
        />
      </div>
    );
  }
  return (
    <p className="truncate text-xs leading-4 text-muted-foreground">
      {state.kind === 'waiting' ? 'Waiting' : sizeText(size)}
    </p>
  );
}

/** Returns a summary for screen readers, instead of the bars. */
function summaryOf(list: readonly Attachment[]): string {
  const done = list.filter(({ state }) => state.kind === 'done').length;
  const failed = list.filter(({ state }) => state.kind === 'failed').length;
  if (done + failed < list.length) return '';
  const files = `${done} ${done === 1 ? 'file is' : 'files are'} uploaded.`;
  return failed === 0 ? files : `${files} ${failed} could not be uploaded.`;
}
