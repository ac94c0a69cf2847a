// A message to the agent, and its form on the screen before the service responds.
import type { SentMessage } from '../api/sent-message.ts';
import type { BranchPoint } from './branches.ts';

/** The agent unless it is the default one, and the options that the service reads under `config.configurable`. */
export interface RunOptions {
  readonly agent?: string;
  readonly model_name?: string;
  readonly thinking_enabled?: boolean;
  readonly is_plan_mode?: true;
}

/** What happens to the files when a chat branches off at an earlier message. */
export type BranchFiles = 'kept' | 'restored';

export type Submission =
  /** A message that replaces an earlier one, on a new branch. */
  | {
      readonly kind: 'message';
      readonly message: SentMessage;
      readonly replaces: string;
      readonly files?: BranchFiles;
    }
  /** Continues an unfinished run. With `question`, replies to that message again on a new branch. */
  | { readonly kind: 'again'; readonly question?: string; readonly files?: BranchFiles }
  /** The answer to an interrupt. */
  | { readonly kind: 'answer'; readonly resume: unknown };

interface MessageState {
  readonly messages: unknown[];
}

/** Returns the first two arguments of the stream's `submit`, without the run's configuration. */
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
