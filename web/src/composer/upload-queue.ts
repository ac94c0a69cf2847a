// Uploads to a thread: at most two concurrently, each with its progress; each can be cancelled or retried.
import type { UploadProgress } from '../api/file-calls.ts';
import type { Uploaded } from '../api/file-shapes.ts';
import { RequestError } from '../api/service-error.ts';

export type AttachmentState =
  | { readonly kind: 'waiting' }
  /** `share` is 1 while the service processes the upload. */
  | { readonly kind: 'sending'; readonly share: number }
  | { readonly kind: 'done'; readonly uploaded: Uploaded }
  | { readonly kind: 'failed'; readonly sentence: string; readonly mayRetry: boolean };

export interface Attachment {
  readonly key: string;
  readonly name: string;
  readonly size: number;
  /** The address of an image in this page's memory. Undefined for all other files. */
  readonly preview: string | undefined;
  readonly state: AttachmentState;
}

export interface UploadQueue {
  readonly list: () => readonly Attachment[];
  readonly subscribe: (listener: () => void) => () => void;
  readonly add: (files: readonly File[]) => void;
  readonly retry: (key: string) => void;
  /** Cancels the upload, or removes the uploaded file. */
  readonly remove: (key: string) => void;
  /** Returns the uploaded files and removes them from the queue. */
  readonly take: () => readonly Uploaded[];
  /** Turns taken files back into attachments. */
  readonly giveBack: (uploaded: readonly Uploaded[]) => void;
  /** Cancels all uploads under way. */
  readonly close: () => void;
}

export interface UploadQueueOptions {
  readonly send: (file: File, progress: UploadProgress) => Promise<Uploaded>;
  readonly takeBack: (uploaded: Uploaded) => void;
  /** Files uploaded before the page was reloaded. */
  readonly kept: readonly Uploaded[];
}

/** A browser has six connections to one host. The stream of a reply and other requests need some of them. */
const MOST_AT_ONCE = 2;

const MIB = 1_048_576;

/** The file is too large to be accepted, so it is not sent at all. */
export class FileTooLarge extends Error {
  override readonly name = 'FileTooLarge';

  constructor(mostBytes: number) {
    super(`This file is larger than ${mostBytes / MIB} MB, the largest size that is accepted.`);
  }
}

interface Upload {
  readonly file: File;
  readonly ending: AbortController;
}

export function createUploadQueue({ send, takeBack, kept }: UploadQueueOptions): UploadQueue {
  let attachments: readonly Attachment[] = kept.map(toAttachment);
  let made = 0;
  const uploads = new Map<string, Upload>();
  const listeners = new Set<() => void>();

  function change(next: readonly Attachment[]): void {
    attachments = next;
    for (const listener of listeners) listener();
  }

  function show(key: string, state: AttachmentState): void {
    change(attachments.map((it) => (it.key === key ? { ...it, state } : it)));
  }

  function startNext(): void {
    const sending = attachments.filter(({ state }) => state.kind === 'sending').length;
    const next = attachments.find(({ state }) => state.kind === 'waiting');
    const upload = next === undefined ? undefined : uploads.get(next.key);
    if (next === undefined || upload === undefined || sending >= MOST_AT_ONCE) return;
    show(next.key, { kind: 'sending', share: 0 });
    void run(next.key, upload);
    startNext();
  }

  async function run(key: string, { file, ending }: Upload): Promise<void> {
    const onSent = (share: number) => {
      if (!ending.signal.aborted) show(key, { kind: 'sending', share });
    };
    try {
      const uploaded = await send(file, { onSent, signal: ending.signal });
      // The file may have arrived just as its upload was cancelled.
      if (ending.signal.aborted) takeBack(uploaded);
      else show(key, { kind: 'done', uploaded });
    } catch (error) {
      if (!ending.signal.aborted) show(key, failureOf(error));
    }
    startNext();
  }

  function forget(gone: (attachment: Attachment) => boolean): void {
    for (const { key, preview } of attachments.filter(gone)) {
      uploads.get(key)?.ending.abort();
      uploads.delete(key);
      if (preview !== undefined) URL.revokeObjectURL(preview);
    }
    change(attachments.filter((it) => !gone(it)));
  }

  return {
    list: () => attachments,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    add: (files) => {
      const added = files.map((file): Attachment => {
        const key = `new-${made++}`;
        uploads.set(key, { file, ending: new AbortController() });
        const preview = file.type.startsWith('image/') ? URL.createObjectURL(file) : undefined;
        return { key, name: file.name, size: file.size, preview, state: { kind: 'waiting' } };
      });
      change([...attachments, ...added]);
      startNext();
    },
    retry: (key) => {
      show(key, { kind: 'waiting' });
      startNext();
    },
    remove: (key) => {
      const state = attachments.find((it) => it.key === key)?.state;
      forget((it) => it.key === key);
      if (state?.kind === 'done') takeBack(state.uploaded);
      startNext();
    },
    take: () => {
      const arrived = attachments.flatMap(({ state }) => (state.kind === 'done' ? [state.uploaded] : []));
      forget(({ state }) => state.kind === 'done');
      return arrived;
    },
    giveBack: (uploaded) => change([...attachments, ...uploaded.map(toAttachment)]),
    close: () => forget(() => true),
  };
}

function toAttachment(uploaded: Uploaded): Attachment {
  const { filename: name, size } = uploaded;
  return { key: `kept-${name}`, name, size, preview: undefined, state: { kind: 'done', uploaded } };
}

function failureOf(error: unknown): AttachmentState {
  if (error instanceof FileTooLarge) return { kind: 'failed', sentence: error.message, mayRetry: false };
  return { kind: 'failed', sentence: sentenceOf(error), mayRetry: true };
}

function sentenceOf(error: unknown): string {
  // The file was moved or changed on disk after it was selected.
  if (!(error instanceof RequestError)) return 'This file could not be read.';
  const { status, message, isExplained } = error;
  if (status === 0) return 'The connection was lost.';
  if (status === 413 && !isExplained) return 'This is larger than a proxy server allows.';
  return message;
}
