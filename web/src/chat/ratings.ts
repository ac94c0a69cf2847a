// What the person thinks of the answers of a thread.
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
