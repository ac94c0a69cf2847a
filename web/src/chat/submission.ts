// What a person sends to the agent, and what the screen shows of it before the service answers.
import type { SentFile } from '../files/sent-file.ts';
import type { BranchPoint } from './branch-point.ts';
import { randomId } from './random-id.ts';

/** What a person says: words, and the files that go with them. */
export interface Said {
  readonly text: string;
  readonly files: readonly SentFile[];
}

export interface SentMessage {
  readonly type: 'human';
  /** Chosen here, so that the message stays the same one on the screen and when it has to be sent again. */
  readonly id: string;
  readonly content: string;
  readonly additional_kwargs?: {
    readonly files: readonly (SentFile & { readonly status: 'uploaded' })[];
  };
}

/** What becomes of the files of a chat when it goes back to an earlier place. */
export type BranchFiles = 'kept' | 'restored';

export type Submission =
  /** A message that stands for the earlier one that it replaces, on a branch of its own. */
  | {
      readonly kind: 'message';
      readonly message: SentMessage;
      readonly replaces: string;
      readonly files?: BranchFiles;
    }
  /** What is open goes on; `question` names the message whose answer is written anew on a branch. */
  | { readonly kind: 'again'; readonly question?: string; readonly files?: BranchFiles }
  /** The answer to what the run asked. */
  | { readonly kind: 'answer'; readonly resume: unknown };

interface MessageState {
  readonly messages: unknown[];
}

export function newMessageId(): string {
  return `m-${randomId()}`;
}

export function newMessage({ text, files }: Said, id = newMessageId()): SentMessage {
  const message = { type: 'human', id, content: text } as const;
  if (files.length === 0) return message;
  const named = files.map((file) => ({ ...file, status: 'uploaded' }) as const);
  return { ...message, additional_kwargs: { files: named } };
}

/** The first two arguments of the stream's `submit`, without the run's configuration. */
export function toSubmit<S extends MessageState>(submission: Submission, from: BranchPoint | undefined) {
  const checkpoint =
    from === undefined
      ? {}
      : { checkpoint: { checkpoint_id: from.checkpointId, checkpoint_ns: '', checkpoint_map: null } };
  if (submission.kind === 'answer') {
    return { input: null, options: { command: { resume: submission.resume } } };
  }
  if (submission.kind === 'again' && from === undefined) return { input: null, options: {} };
  const message = submission.kind === 'message' ? submission.message : undefined;
  const optimisticValues = (state: S): S => {
    const kept = from?.messages ?? state.messages ?? [];
    return {
      ...state,
      messages: message === undefined ? [...kept] : [...withoutMessage(kept, message.id), message],
    };
  };
  return {
    input: message === undefined ? null : { messages: [message] },
    options: { ...checkpoint, optimisticValues },
  };
}

function withoutMessage(messages: readonly unknown[], id: string): readonly unknown[] {
  return messages.filter((it) => !(typeof it === 'object' && it !== null && 'id' in it && it.id === id));
}
