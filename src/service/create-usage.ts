// Puts together what counts model calls and limits them.
import type { AgentOptions } from '../agent/agent-options.ts';
import type { LeadAgentParts } from '../agent/run-parts.ts';
import { createSuggestionWriter } from '../agent/suggestion-writer.ts';
import { createFairShare } from '../fair-share/fair-share.ts';
import type { Log } from '../log.ts';
import { type ModelCatalog, namedModel } from '../models/catalog.ts';
import { type BudgetLimits, type BudgetOptions, budgetLimitsOf } from '../runs/budget/budget-options.ts';
import { createLateCalls, type LateCalls } from '../runs/record/late-calls.ts';
import type { RunsOptions } from '../runs/run-options.ts';
import { createSuggestions, type Suggestions } from '../runs/suggestions.ts';
import { createUsageService, type UsageService } from '../runs/budget/usage-service.ts';
import type { Storage } from '../storage/storage.ts';
import type { ThreadStates } from '../storage/thread-states.ts';
import type { ThreadStateService } from '../threads/thread-state-service.ts';
import { REAL_TIMERS } from '../timers.ts';

interface UsageRoom {
  readonly usage: UsageService;
  /** `undefined`: nothing is limited. */
  readonly budgets: BudgetLimits | undefined;
  readonly onLateTitle: LeadAgentParts['onLateTitle'];
  readonly suggestions: Suggestions;
  readonly lateCalls: LateCalls;
}

/** Calls for suggestions: who asks for more waits for a moment, and then goes without. */
const SUGGESTION_PLACES = { total: 8, perOwner: 2, waitingPerOwner: 10, longestWaitMs: 10_000 };

interface UsageRoomParts {
  readonly config: {
    readonly runs: Pick<RunsOptions, 'trace_limit_bytes'>;
    readonly budgets: BudgetOptions;
    readonly agent: Pick<AgentOptions, 'suggestions'>;
  };
  readonly storage: Storage;
  readonly states: ThreadStates;
  readonly threadStates: ThreadStateService;
  readonly catalog: ModelCatalog;
  readonly log: Log;
  readonly now: () => number;
  readonly newId: () => string;
}

/** Throws `invalid` with a sentence for the operator when the configuration names a model that there is not. */
export function createUsageRoom(parts: UsageRoomParts): UsageRoom {
  const { config, states, catalog, log, now, newId } = parts;
  const budgets = budgetLimitsOf(config.budgets, currencyOf(catalog));
  const contextWindowOf = (model: string) => catalog.get(model)?.info.contextWindow;
  const traceLimitBytes = config.runs.trace_limit_bytes;
  const lateCalls = createLateCalls({ traceLimitBytes, timers: REAL_TIMERS, now });
  const usage = createUsageService({ states, contextWindowOf, budgets, now });
  const { suggestions: options } = config.agent;
  return {
    usage,
    budgets,
    lateCalls,
    onLateTitle: lateTitle({ ...parts, lateCalls }),
    suggestions: createSuggestions({
      isEnabled: options.enabled,
      write: createSuggestionWriter({ now, newId }),
      model: namedModel(catalog, 'suggestions.model', options.model),
      catalog,
      states,
      usage,
      lateCalls,
      places: createFairShare(SUGGESTION_PLACES),
      log,
    }),
  };
}

/** The one currency that prices are in. */
function currencyOf(catalog: ModelCatalog): string | undefined {
  return catalog.list().find(({ price }) => price !== undefined)?.price?.currency;
}

interface LateTitleParts extends Pick<UsageRoomParts, 'threadStates' | 'storage' | 'log'> {
  readonly lateCalls: LateCalls;
}

/** A title that came after the run is counted with it, and set when the thread is idle; else the one it has stays. */
function lateTitle(parts: LateTitleParts): LeadAgentParts['onLateTitle'] {
  const { lateCalls, threadStates, storage, log } = parts;
  return ({ userId, threadId, runId }, { title, events }) => {
    const repositories = storage.as(userId);
    lateCalls
      .count(repositories, { threadId, runId }, events)
      .catch((error: unknown) => log.warn({ err: error, runId }, 'a title that came late is not counted'))
      .then(() => (title === '' ? undefined : threadStates.setTitle(repositories, threadId, title)))
      .catch((error: unknown) => log.info({ err: error, threadId }, 'a title came too late'));
  };
}
