// Keeps long threads within what the model can read: older messages give way to a summary, in its prompt alone.
import type { JsonObject, Message } from '../../messages/message.ts';
import { summaryOf, summaryValues, type ThreadSummary } from '../../messages/thread-summary.ts';
import type { Model } from '../../models/model.ts';
import type { CustomProgress, Emit } from '../agent-event.ts';
import type { CompactionOptions } from '../agent-options.ts';
import type { CallBudget } from '../call-budget.ts';
import { cutPoint } from '../compaction/cut-point.ts';
import { promptTokens, tokensOf } from '../compaction/prompt-size.ts';
import { viewOf } from '../compaction/thread-view.ts';
import { writeSummary } from '../compaction/write-summary.ts';
import type { HookContext, Middleware } from '../middleware.ts';

export interface CompactionParts {
  /** The model of the run. */
  readonly model: Model;
  /** The model that writes the summaries. */
  readonly writer: Model;
  readonly options: Pick<CompactionOptions, 'trigger' | 'keep'>;
  readonly now: () => number;
  readonly newId: () => string;
  readonly budget?: CallBudget | undefined;
}

/** A summary costs a model call and the provider's cache of the prompt: not for less than this part of the window. */
const LEAST_GAIN = 0.1;
/** What may be given to the model that writes, of what it can read. */
const READABLE = 0.6;
/** A prompt that was too long is of unknown length: much less stays than usual. */
const OVERFLOW_KEEP = 1 / 3;

/** What a summary is to stand for from now on. */
interface Cut {
  readonly earlier: ThreadSummary | undefined;
  /** Messages that the model was shown so far. */
  readonly replaced: readonly Message[];
  readonly count: number;
}

/** One for each run: a model that could not write a summary is not asked again before every answer. */
export function createCompactionMiddleware(parts: CompactionParts): Middleware {
  const { model, options } = parts;
  const { contextWindow } = model.info;
  let hasFailed = false;
  return {
    name: 'summarize',
    // Of the messages as they were shaped until here, which are those of the state in its order.
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

/** The state's new summary; `undefined` when there is none. `room` is what the model can read, as far as is known. */
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

/** The positions of system messages among those that end before `end`. */
function instructionsIn(messages: readonly Message[], end: number): readonly number[] {
  const start = end - messages.length;
  return messages.flatMap(({ type }, index) => (type === 'system' ? [start + index] : []));
}
