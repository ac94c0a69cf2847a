// Keeps long threads within what the model can read: a summary replaces older messages, only in the prompt.
import type { JsonObject, Message } from '../../messages/message.ts';
import { summaryOf, summaryValues, type ThreadSummary } from '../../messages/thread-summary.ts';
import type { Model } from '../../models/model.ts';
import type { CustomProgress, Emit } from '../agent-event.ts';
import type { CompactionOptions } from '../agent-options.ts';
import { promptTokens, tokensOf } from '../compaction/prompt-size.ts';
import { isFromPerson, viewOf } from '../compaction/thread-view.ts';
import { writeSummary } from '../compaction/write-summary.ts';
import type { HookContext, Middleware } from '../middleware.ts';
import type { QuietParts } from '../quiet-call.ts';

export interface CompactionParts extends QuietParts {
  /** The model that writes the summaries. */
  readonly writer: Model;
  readonly options: Pick<CompactionOptions, 'trigger' | 'keep'>;
}

/** The least part of the window to save: a summary costs a model call and the provider's prompt cache. */
const LEAST_GAIN = 0.1;
/** The part of the writing model's window that its input may fill. */
const READABLE = 0.6;
/** The length of a prompt that was too long is unknown, so much less of it is kept than usual. */
const OVERFLOW_KEEP = 1 / 3;

interface Cut {
  readonly earlier: ThreadSummary | undefined;
  /** Messages that the model was shown so far and that the summary replaces. */
  readonly replaced: readonly Message[];
  readonly count: number;
}

/** Creates the middleware of one run: after a failed summary, `beforeModel` does not request another. */
export function createCompactionMiddleware(parts: CompactionParts): Middleware {
  const { model, options } = parts;
  const { contextWindow } = model.info;
  let hasFailed = false;
  return {
    name: 'summarize',
    // Works on the messages as shaped so far, which are those of the state in order.
    shapeRequest: (request, { values }) => {
      const { shown, hidden } = viewOf({ messages: request.messages, values });
      return hidden.length === 0 ? request : { ...request, messages: shown, unsent: hidden };
    },
    async beforeModel(context, emit) {
      if (contextWindow === undefined || hasFailed) return undefined;
      if (promptTokens(context.state) < options.trigger * contextWindow) return undefined;
      const cut = cutOf(context, { keepTokens: options.keep * contextWindow, sparesNothing: false });
      if (cut === undefined || tokensOf(cut.replaced) < LEAST_GAIN * contextWindow) return undefined;
      const values = await compacted(parts, context, { cut, window: contextWindow, emit });
      hasFailed = values === undefined;
      return values === undefined ? undefined : { delta: { messages: [], values } };
    },
    async afterModelFailure(error, context, emit) {
      if (error.kind !== 'context_overflow') return undefined;
      const limit = Math.min(contextWindow ?? Number.POSITIVE_INFINITY, promptTokens(context.state));
      const cut = cutOf(context, { keepTokens: options.keep * OVERFLOW_KEEP * limit, sparesNothing: true });
      return cut === undefined ? undefined : compacted(parts, context, { cut, window: limit, emit });
    },
  };
}

function cutOf(
  { state }: HookContext,
  limits: { readonly keepTokens: number; readonly sparesNothing: boolean },
): Cut | undefined {
  const earlier = summaryOf(state);
  const from = earlier?.message_count ?? 0;
  const count = cutPoint(state.messages, { from, ...limits });
  return count === undefined ? undefined : { earlier, replaced: state.messages.slice(from, count), count };
}

/** Returns the state's new summary, if any. `window` is what the model can read, as far as known. */
async function compacted(
  { writer, now, newId, budget }: CompactionParts,
  { state, signal }: HookContext,
  { cut, window, emit }: { readonly cut: Cut; readonly window: number; readonly emit: Emit },
): Promise<JsonObject | undefined> {
  const { earlier, replaced, count } = cut;
  const progress = (status: string): CustomProgress => ({
    type: 'custom',
    data: { type: 'summarization', status, replaced_count: replaced.length },
  });
  await emit(progress('started'));
  const maxTokens = READABLE * (writer.info.contextWindow ?? window);
  const job = { previous: earlier?.text, messages: replaced, maxTokens, signal };
  const text = await writeSummary({ model: writer, now, newId, budget }, job, emit);
  const last = state.messages[count - 1];
  if (text === undefined || last === undefined) {
    await emit(progress('failed'));
    return undefined;
  }
  await emit({
    type: 'middleware',
    tag: 'summarize',
    content: { role: 'system', content: text },
    metadata: { replaced_count: replaced.length },
  });
  await emit(progress('completed'));
  return summaryValues({
    text,
    up_to_message_id: last.id,
    message_count: count,
    instructions_at: [...(earlier?.instructions_at ?? []), ...instructionsIn(replaced, count)],
    thread_length: state.messages.length,
  });
}

function instructionsIn(messages: readonly Message[], end: number): readonly number[] {
  const start = end - messages.length;
  return messages.flatMap(({ type }, index) => (type === 'system' ? [start + index] : []));
}

interface CutLimits {
  /** The number of messages that an earlier summary already replaces. */
  readonly from: number;
  readonly keepTokens: number;
  /** Whether the newest step may be replaced as well when it alone is larger than `keepTokens`. */
  readonly sparesNothing: boolean;
}

/** Returns how many messages to replace. Keeps calls with their results, and shows the open question. */
function cutPoint(
  messages: readonly Message[],
  { from, keepTokens, sparesNothing }: CutLimits,
): number | undefined {
  let cut = messages.length;
  let tokens = 0;
  for (const start of stepStarts(messages, from)) {
    tokens += tokensOf(messages.slice(start, cut));
    const isNewest = cut === messages.length;
    const mustStay = isNewest && (!sparesNothing || messages.slice(start).some(isFromPerson));
    if (tokens > keepTokens && !mustStay) break;
    cut = start;
  }
  return cut > from ? cut : undefined;
}

function* stepStarts(messages: readonly Message[], from: number): Generator<number> {
  let hasResults = false;
  for (let index = messages.length - 1; index >= from; index--) {
    const type = messages[index]?.type;
    // Late results, after a message of the person, belong to the call before that message.
    if (type === 'ai' || (type !== 'tool' && !hasResults)) yield index;
    hasResults = type === 'tool' || (hasResults && type !== 'ai');
  }
}
