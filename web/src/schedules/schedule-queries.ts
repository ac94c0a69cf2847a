// The schedules of the signed-in person as a query, the changes to them, and which of their runs were seen.
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Api } from '../api/api.ts';
import type { Schedule } from '../api/schedule-calls.ts';
import { useUserId } from '../auth/session.ts';
import { ownStorage } from '../services/own-storage.ts';
import { useServices } from '../services/services.tsx';
import { SCHEDULES } from '../threads/follow-threads.ts';
import { useThreads } from '../threads/thread-queries.ts';
import { isUnderWay } from './run-outcome.tsx';

const SEEN = ['schedules-seen'];
const HAS_SOME = 'has-schedules';
const SEEN_UNTIL = 'schedules-seen';
const BUSY_MS = 3_000;
const IDLE_MS = 60_000;

export function useSchedules() {
  const { api } = useServices();
  const isAnyBusy = (list: readonly Schedule[] | undefined) =>
    list?.some(({ last_run: run }) => run !== null && isUnderWay(run)) ?? false;
  return useQuery({
    queryKey: SCHEDULES,
    queryFn: () => api.schedules(),
    staleTime: 0,
    refetchInterval: ({ state }) => (isAnyBusy(state.data) ? BUSY_MS : IDLE_MS),
  });
}

export function useScheduleRuns(id: string) {
  const { api } = useServices();
  return useInfiniteQuery({
    queryKey: [...SCHEDULES, id, 'runs'],
    queryFn: ({ pageParam }) => api.scheduleRuns(id, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_before ?? undefined,
    staleTime: 0,
  });
}

/** Reads the whole list again after a change. */
export function useScheduleChange<Change>(change: (api: Api, it: Change) => Promise<unknown>) {
  const { api } = useServices();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (it: Change) => change(api, it),
    onSettled: () => queryClient.invalidateQueries({ queryKey: SCHEDULES }),
  });
}

/** Marks the shown runs as seen, and remembers whether there are schedules at all. */
export function useSeenSchedules(schedules: readonly Schedule[] | undefined): void {
  const userId = useUserId();
  const queryClient = useQueryClient();
  const newest = schedules?.map(endOf).sort().at(-1);
  const hasSome = schedules === undefined ? undefined : schedules.length > 0;
  useEffect(() => {
    if (hasSome === undefined) return;
    const storage = ownStorage(userId);
    storage.set(HAS_SOME, hasSome ? 'yes' : undefined);
    if (newest === undefined || newest === '') return;
    storage.set(SEEN_UNTIL, newest);
    queryClient.setQueryData(SEEN, newest);
  }, [userId, queryClient, newest, hasSome]);
}

/**
 * Returns how many schedules have run since the person last saw them. Fetches nothing for people without
 * schedules.
 */
export function useScheduleNews(): number {
  const { api } = useServices();
  const userId = useUserId();
  const threads = useThreads().data?.pages.flatMap((page) => page.threads) ?? [];
  const hasSome =
    threads.some(({ metadata }) => metadata?.schedule_id !== undefined) ||
    ownStorage(userId).get(HAS_SOME) !== null;
  const { data: schedules = [] } = useQuery({
    queryKey: SCHEDULES,
    queryFn: () => api.schedules(),
    enabled: hasSome,
  });
  const { data: seen = '' } = useQuery({
    queryKey: SEEN,
    queryFn: () => ownStorage(userId).get(SEEN_UNTIL) ?? '',
    staleTime: Number.POSITIVE_INFINITY,
  });
  return schedules.filter((schedule) => endOf(schedule) > seen).length;
}

/** Returns the time at which the last run ended. Empty before the first run has ended. */
function endOf({ last_run: run }: Schedule): string {
  return run?.ended_at ?? '';
}
