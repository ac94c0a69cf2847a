// Sends one message of the outbox, and says what came of it.
import type { Api } from '../api/api.ts';
import { RequestError } from '../api/service-error.ts';
import { newMessage } from '../chat/submission.ts';
import { toSentFile } from '../files/sent-file.ts';
import type { OutboxEntry } from './outbox-entry.ts';

export type SendOutcome =
  /** `text` is what had arrived, maybe earlier and in other words. */
  | { readonly kind: 'taken'; readonly runId: string; readonly text: string }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'signed_out' }
  /** Nobody knows whether it arrived; sent again within a day it is taken once. */
  | { readonly kind: 'unanswered' };

/** Never rejects. */
export async function sendEntry(api: Api, entry: OutboxEntry): Promise<SendOutcome> {
  const { id, text, files, threadId, isNew, options } = entry;
  const message = newMessage({ text, files: files.map(toSentFile) }, id);
  try {
    const run = await api.startRun({ threadId, isNew, message, options });
    return { kind: 'taken', runId: run.run_id, text: run.text ?? text };
  } catch (error) {
    if (!(error instanceof RequestError)) return { kind: 'unanswered' };
    if (error.status === 401) return { kind: 'signed_out' };
    const isRefused = error.status >= 400 && error.status < 500;
    return isRefused ? { kind: 'refused', reason: error.message } : { kind: 'unanswered' };
  }
}
