// What the runs of a turn took: tokens, money where it is known, and the models that were asked.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import type { Run, RunUsage, Spent } from '../api/shapes.ts';
import { useServices } from '../services.tsx';
import { useRunsOfAnswers } from './ratings.ts';

type UsageOfRuns = ReadonlyMap<string, RunUsage>;

const NOTHING_KNOWN: UsageOfRuns = new Map();
const RunUsageContext = createContext<UsageOfRuns>(NOTHING_KNOWN);

export const RunUsageProvider = RunUsageContext.Provider;

/** Of the newest runs of the thread by their ids; read anew when the thread has a new answer. */
export function useRunUsage(threadId: string | undefined, newestAnswerId: string | undefined): UsageOfRuns {
  const { api } = useServices();
  const { data = NOTHING_KNOWN } = useQuery({
    queryKey: ['run-usage', threadId, newestAnswerId],
    queryFn: async () => (threadId === undefined ? NOTHING_KNOWN : await api.runUsage(threadId)),
    enabled: threadId !== undefined && newestAnswerId !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
  });
  return data;
}

export interface TurnUsage {
  readonly tokens: number;
  readonly cost: Spent['cost'];
  readonly models: readonly string[];
}

/**
 * Undefined when nothing was spent, or nothing is known of it. `latestRun`, of the last turn alone, tells what its
 * run took so far, also when it has no answer.
 */
export function useTurnUsage(
  answerIds: readonly string[],
  latestRun: Run | undefined,
): TurnUsage | undefined {
  const known = useContext(RunUsageContext);
  const { own, others } = useRunsOfAnswers(answerIds);
  const runs = own.flatMap((runId) => known.get(runId) ?? []);
  if (latestRun === undefined || others.has(latestRun.run_id)) return sumOf(runs);
  return sumOf([...runs.filter(({ run_id }) => run_id !== latestRun.run_id), latestRun]);
}

function sumOf(runs: readonly RunUsage[]): TurnUsage | undefined {
  const tokens = runs.reduce((sum, { total_tokens = 0 }) => sum + total_tokens, 0);
  if (tokens === 0) return undefined;
  const models = new Set(runs.flatMap(({ token_usage_by_model = {} }) => Object.keys(token_usage_by_model)));
  return { tokens, cost: costOf(runs), models: [...models] };
}

/** Null where no price is known for any of it. */
function costOf(runs: readonly RunUsage[]): Spent['cost'] {
  const sums = new Map<string, number>();
  for (const { cost } of runs) {
    if (cost === undefined || cost === null) continue;
    for (const { amount, currency } of [cost, ...(cost.also ?? [])])
      sums.set(currency, (sums.get(currency) ?? 0) + amount);
  }
  const [first, ...also] = [...sums].map(([currency, amount]) => ({ amount, currency }));
  return first === undefined ? null : { ...first, also };
}
