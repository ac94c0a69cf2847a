// What the person thinks of the answers of a thread, by the id of the answer.
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import type { AnswerRating } from '../api/shapes.ts';
import { useServices } from '../services.tsx';

export interface Rating {
  readonly value: 1 | -1;
  readonly comment: string;
}

type RatedAnswers = ReadonlyMap<string, AnswerRating>;

const NOTHING_KNOWN: RatedAnswers = new Map();
const RatingsContext = createContext<RatedAnswers>(NOTHING_KNOWN);

export const RatingsProvider = RatingsContext.Provider;

/** The run of an answer with its rating; undefined for what is no last answer of a run. */
export function useAnswerRating(answerIds: readonly string[]): AnswerRating | undefined {
  const ratings = useContext(RatingsContext);
  return answerIds.map((id) => ratings.get(id)).findLast((it) => it !== undefined);
}

/** The runs whose last answers these are, in the order of the answers, and all other runs that have one. */
export function useRunsOfAnswers(answerIds: readonly string[]): {
  readonly own: readonly string[];
  readonly others: ReadonlySet<string>;
} {
  const ratings = useContext(RatingsContext);
  const own = [...new Set(answerIds.flatMap((id) => ratings.get(id)?.runId ?? []))];
  const others = new Set([...ratings.values()].map(({ runId }) => runId).filter((id) => !own.includes(id)));
  return { own, others };
}

const RATINGS = 'ratings';

/** Read anew when the thread has a new answer. */
export function useRatings(threadId: string | undefined, newestAnswerId: string | undefined): RatedAnswers {
  const { api } = useServices();
  const { data = NOTHING_KNOWN } = useQuery({
    queryKey: [RATINGS, threadId, newestAnswerId],
    queryFn: async () => (threadId === undefined ? NOTHING_KNOWN : await api.ratings(threadId)),
    enabled: threadId !== undefined && newestAnswerId !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
  });
  return data;
}

/** Shows the rating at once, and takes it back when it could not be saved. `undefined` takes the rating away. */
export function useRate(threadId: string) {
  const { api } = useServices();
  const queryClient = useQueryClient();
  const show = (answer: AnswerRating, rating: Rating | undefined) =>
    queryClient.setQueriesData<RatedAnswers>({ queryKey: [RATINGS, threadId] }, (known) =>
      known === undefined ? known : new Map(known).set(answer.answerId, { ...answer, rating }),
    );
  return useMutation({
    mutationFn: ({
      answer,
      rating,
    }: {
      readonly answer: AnswerRating;
      readonly rating: Rating | undefined;
    }) => (rating === undefined ? api.unrate(threadId, answer) : api.rate(threadId, answer, rating)),
    onMutate: ({ answer, rating }) => void show(answer, rating),
    onError: (_, { answer }) => void show(answer, answer.rating),
  });
}
