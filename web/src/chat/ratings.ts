// What the person thinks of the answers of a thread, and which runs they are of.
import { useMutation } from '@tanstack/react-query';
import type { AnswerRating } from '../api/shapes.ts';
import { useServices } from '../services.tsx';
import { useAnswerRecord, useKnownAnswers } from './known-answers.ts';

export interface Rating {
  readonly value: 1 | -1;
  readonly comment: string;
}

/** The run of an answer with its rating; undefined for what is no last answer of a run. */
export function useAnswerRating(answerIds: readonly string[]): AnswerRating | undefined {
  const { answers } = useKnownAnswers();
  return answerIds.map((id) => answers.get(id)).findLast((it) => it !== undefined);
}

interface RunsOfAnswers {
  /** The runs whose last answers these are, in the order of the answers. */
  readonly own: readonly string[];
  /** Whether the run has a last answer, and it is none of these. */
  readonly isOther: (runId: string) => boolean;
}

export function useRunsOfAnswers(answerIds: readonly string[]): RunsOfAnswers {
  const { answers, answerOfRun } = useKnownAnswers();
  const own = [...new Set(answerIds.flatMap((id) => answers.get(id)?.runId ?? []))];
  return { own, isOther: (runId) => answerOfRun.has(runId) && !own.includes(runId) };
}

/** Shows the rating at once, and takes it back when it could not be saved. `undefined` takes the rating away. */
export function useRate(threadId: string) {
  const { api } = useServices();
  const { show } = useAnswerRecord();
  return useMutation({
    mutationFn: ({
      answer,
      rating,
    }: {
      readonly answer: AnswerRating;
      readonly rating: Rating | undefined;
    }) => (rating === undefined ? api.unrate(threadId, answer) : api.rate(threadId, answer, rating)),
    onMutate: ({ answer, rating }) => show({ ...answer, rating }),
    onError: (_, { answer }) => show(answer),
  });
}
