// The conversation of a thread or a run, page by page, with the person's feedback on the replies.
import type { FeedbackRecord } from '../../storage/feedback.ts';
import type { EventPageQuery, RunEventRecord } from '../../storage/run-events.ts';
import type { Repositories } from '../../storage/storage.ts';

export interface ConversationMessage {
  readonly event: RunEventRecord;
  /** The person's feedback, `null` when there is none; only on the last reply of each run. */
  readonly feedback?: FeedbackRecord | null;
}

export interface ConversationPage {
  readonly messages: readonly ConversationMessage[];
  /** True when older messages remain, or newer ones if the cursor asks for those. */
  readonly hasMore: boolean;
}

/** Returns messages in ascending `seq`, without those that were rolled back or replaced. */
export async function conversationPage(
  { runEvents, feedback }: Repositories,
  threadId: string,
  query: EventPageQuery,
): Promise<ConversationPage> {
  const { events, hasMore } = await runEvents.messages(threadId, query);
  const lastReplies = new Map<string, number>();
  for (const { eventType, runId, seq } of events) {
    if (eventType === 'ai_message') lastReplies.set(runId, seq);
  }
  const runIds = [...lastReplies.keys()];
  const end = events.at(-1)?.seq ?? 0;
  for (const runId of await runEvents.repliedAfter(threadId, runIds, end)) lastReplies.delete(runId);
  const ratings = new Map((await feedback.list(threadId, runIds)).map((row) => [row.runId, row]));
  return {
    hasMore,
    messages: events.map((event) =>
      lastReplies.get(event.runId) === event.seq
        ? { event, feedback: ratings.get(event.runId) ?? null }
        : { event },
    ),
  };
}
