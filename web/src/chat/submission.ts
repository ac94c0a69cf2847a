// What a person sends to the agent, and what the screen shows of it before the service answers.
import type { BranchPoint } from './branch-point.ts';

export interface SentMessage {
  readonly type: 'human';
  /** Chosen here, so that the message stays the same one on the screen and when it has to be sent again. */
  readonly id: string;
  readonly content: string;
}

export type Submission =
  /** A message; `replaces` names the earlier message that it stands for on a branch of its own. */
  | { readonly kind: 'message'; readonly message: SentMessage; readonly replaces?: string }
  /** What is open goes on; `question` names the message whose answer is written anew on a branch. */
  | { readonly kind: 'again'; readonly question?: string }
  /** The answer to what the run asked. */
  | { readonly kind: 'answer'; readonly resume: unknown };

interface MessageState {
  readonly messages: unknown[];
}

export function newMessage(content: string): SentMessage {
  return { type: 'human', id: newMessageId(), content };
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

function newMessageId(): string {
  // `randomUUID` exists on secure origins only.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `m-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

function withoutMessage(messages: readonly unknown[], id: string): readonly unknown[] {
  return messages.filter((it) => !(typeof it === 'object' && it !== null && 'id' in it && it.id === id));
}
