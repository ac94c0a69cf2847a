// Creates the accounting and limits of model calls, and the calls beside runs: suggestions and late titles.
import type { LeadAgentParts } from '../agent/run-parts.ts';
import { createSuggestionWriter } from '../agent/suggestion-writer.ts';
import { createFairShare } from '../fair-share/fair-share.ts';
import { type ModelCatalog, namedModel } from '../models/catalog.ts';
import { budgetLimitsOf } from '../runs/budget/budget-options.ts';
import { createUsageService } from '../runs/budget/usage-service.ts';
import { createLateCalls } from '../runs/record/late-calls.ts';
import { createSuggestions } from '../runs/suggestions.ts';
import type { ThreadStateService } from '../threads/thread-state-service.ts';
import { REAL_TIMERS } from '../timers.ts';
import type { Ground } from './ground.ts';

/** Limits on concurrent calls for suggestions. Further calls wait briefly and then return no suggestions. */
const SUGGESTION_PLACES = { total: 8, perOwner: 2, waitingPerOwner: 10, longestWaitMs: 10_000 };

interface UsageParts {
  readonly ground: Ground;
  readonly catalog: ModelCatalog;
  readonly threadStates: Pick<ThreadStateService, 'setTitle'>;
}

/** Throws `invalid` with a sentence for the operator when the configuration names an unknown model. */
export function createUsage({ ground, catalog, threadStates }: UsageParts) {
  const { config, storage, states, log, now, newId } = ground;
  const budgets = budgetLimitsOf(config.budgets, currencyOf(catalog));
  const contextWindowOf = (model: string) => catalog.get(model)?.info.contextWindow;
  const traceLimitBytes = config.runs.trace_limit_bytes;
  const lateCalls = createLateCalls({ traceLimitBytes, timers: REAL_TIMERS, now });
  const service = createUsageService({ states, contextWindowOf, budgets, now });
  const { suggestions: options } = config.agent;
  /**
   * Counts a title that arrives after its run towards that run, and sets it if the thread is idle. Otherwise
   * the thread keeps its current title.
   */
  const onLateTitle: LeadAgentParts['onLateTitle'] = ({ userId, threadId, runId }, { title, events }) => {
    const repositories = storage.as(userId);
    lateCalls
      .count(repositories, { threadId, runId }, events)
      .catch((err: unknown) => log.warn({ err, runId }, 'the usage of a late title could not be recorded'))
      .then(() => (title === '' ? undefined : threadStates.setTitle(repositories, threadId, title)))
      .catch((err: unknown) => log.info({ err, threadId }, 'a title arrived too late'));
  };
  return {
    service,
    /** `undefined` when nothing is limited. */
    budgets,
    lateCalls,
    onLateTitle,
    suggestions: createSuggestions({
      isEnabled: options.enabled,
      write: createSuggestionWriter({ now, newId }),
      model: namedModel(catalog, 'suggestions.model', options.model),
      catalog,
      states,
      usage: service,
      lateCalls,
      places: createFairShare(SUGGESTION_PLACES),
      log,
    }),
  };
}

export type Usage = ReturnType<typeof createUsage>;

/** Returns the currency of all prices. */
function currencyOf(catalog: ModelCatalog): string | undefined {
  return catalog.list().find(({ price }) => price !== undefined)?.price?.currency;
}
