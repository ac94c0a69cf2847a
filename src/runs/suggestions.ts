// Suggestions of what a person may want to say next on a thread, on request.
import { LRUCache } from 'lru-cache';
import type { ModelChoice } from '../agent/run-parts.ts';
import type { SaidMessage, SuggestionModel, SuggestionWriter } from '../agent/suggestion-writer.ts';
import { validationFailed } from '../errors.ts';
import type { FairShare } from '../fair-share/fair-share.ts';
import type { Log } from '../log.ts';
import { type Message, textOf } from '../messages/message.ts';
import { isTerminal, type RunRecord } from '../storage/runs.ts';
import type { Repositories } from '../storage/storage.ts';
import type { ThreadStates } from '../storage/thread-states.ts';
import type { ThreadRecord } from '../storage/threads.ts';
import { isDaySpent, type UsageService } from './budget/usage-service.ts';
import type { LateCalls } from './record/late-calls.ts';
import { fromKwargs } from './request/run-request.ts';

export interface Suggestions {
  readonly isEnabled: boolean;
  /**
   * Returns at most `count` suggestions; none while a run works, on a thread without a run, when the day's
   * budget is spent, and when the model fails. Repeated and concurrent requests without new messages share
   * one model call. Throws `validation_failed` for an unknown model.
   */
  suggest(repositories: Repositories, thread: ThreadRecord, order: SuggestOrder): Promise<readonly string[]>;
}

interface SuggestOrder {
  readonly userId: string;
  readonly count: number;
  /** Used instead of the messages of the thread. */
  readonly messages: readonly SaidMessage[] | undefined;
  readonly modelName: string | undefined;
  readonly signal: AbortSignal;
}

interface SuggestionsParts {
  /** False: there are never any suggestions. */
  readonly isEnabled: boolean;
  readonly write: SuggestionWriter;
  /** Absent: the model of the thread's last run. */
  readonly model: SuggestionModel | undefined;
  readonly catalog: ModelChoice & { readonly default: SuggestionModel };
  readonly states: ThreadStates;
  readonly usage: Pick<UsageService, 'ofDays'>;
  readonly lateCalls: LateCalls;
  readonly places: FairShare;
  readonly log: Pick<Log, 'warn'>;
}

const REMEMBERED = 1_000;
/** Includes calls of tools and their results. */
const MESSAGES_SEEN = 100;
const NONE: readonly string[] = [];

export function createSuggestions(parts: SuggestionsParts): Suggestions {
  const { isEnabled, write, catalog, states, usage, lateCalls, places, log } = parts;
  const known = new LRUCache<string, readonly string[]>({ max: REMEMBERED });
  /** Two windows of a person see the same reply end, and ask at the same moment. */
  const underWay = new Map<string, Promise<readonly string[]>>();

  const asked = (modelName: string | undefined): SuggestionModel | undefined => {
    if (modelName === undefined) return parts.model;
    const model = catalog.get(modelName);
    if (model !== undefined) return model;
    const names = catalog.list().map(({ name }) => name);
    throw validationFailed(
      ['body', 'model_name'],
      `There is no such model. The models of this service are: ${names.join(', ')}.`,
    );
  };

  const said = async ({ checkpoints }: Repositories, { threadId, headCheckpointId }: ThreadRecord) => {
    const head =
      headCheckpointId === null ? undefined : await states.at(checkpoints, threadId, headCheckpointId);
    return (head?.state.messages ?? []).slice(-MESSAGES_SEEN).flatMap(toSaid);
  };

  const writtenFor = async (repositories: Repositories, run: RunRecord, order: WriteOrder) => {
    const { userId, signal, ...work } = order;
    if (work.messages.length === 0 || (await isDaySpent(usage, repositories))) return NONE;
    const turn = await places.use(userId, signal, () => write(work));
    if (turn.kind !== 'done') return NONE;
    const { suggestions, events } = turn.result;
    await lateCalls
      .count(repositories, run, events)
      .catch((err: unknown) =>
        log.warn({ err, runId: run.runId }, 'the usage of suggestions could not be recorded'),
      );
    return suggestions;
  };

  return {
    isEnabled,
    async suggest(repositories, thread, { messages, modelName, ...order }) {
      const chosen = asked(modelName);
      const [run] = await repositories.runs.list(thread.threadId, { limit: 1, offset: 0 });
      if (!isEnabled || run === undefined || !isTerminal(run.status)) return NONE;
      const model = chosen ?? catalog.get(fromKwargs(run.kwargs).options.modelName) ?? catalog.default;
      if (messages !== undefined) return writtenFor(repositories, run, { ...order, model, messages });
      const key = JSON.stringify([thread.threadId, thread.headCheckpointId, order.count, model.info.name]);
      const before = known.get(key);
      if (before !== undefined) return before;
      const writing = async () => {
        const conversation = await said(repositories, thread);
        const suggestions = await writtenFor(repositories, run, { ...order, model, messages: conversation });
        if (suggestions.length > 0) known.set(key, suggestions);
        return suggestions;
      };
      const written = underWay.get(key) ?? writing().finally(() => underWay.delete(key));
      underWay.set(key, written);
      return written;
    },
  };
}

interface WriteOrder extends Pick<SuggestOrder, 'userId' | 'count' | 'signal'> {
  readonly model: SuggestionModel;
  readonly messages: readonly SaidMessage[];
}

function toSaid(message: Message): readonly SaidMessage[] {
  if (message.type !== 'human' && message.type !== 'ai') return [];
  if (message.additional_kwargs.hide_from_ui === true) return [];
  const content = textOf(message.content).trim();
  if (content === '') return [];
  return [{ role: message.type === 'human' ? 'user' : 'assistant', content }];
}
