// What is known of the answers of the thread that is shown, for its turns.
import { useQueryClient } from '@tanstack/react-query';
import { createContext, useContext, useEffect, useMemo, useSyncExternalStore } from 'react';
import { useServices } from '../services.tsx';
import { type AnswerRecord, createAnswerRecord, type KnownAnswers, NOTHING_KNOWN } from './answer-record.ts';
import type { Turn } from './turns.ts';

const NO_RECORD: AnswerRecord = {
  known: () => NOTHING_KNOWN,
  subscribe: () => () => {},
  readNewest: async () => {},
  readOlder: async () => {},
  show: () => {},
};
const RecordContext = createContext(NO_RECORD);

export const AnswerRecordProvider = RecordContext.Provider;

/** Read on when the thread has a new answer, and kept for a while when the chat is left. */
export function useNewAnswerRecord(threadId: string | undefined, newestAnswerId: string | undefined) {
  const { api } = useServices();
  const queryClient = useQueryClient();
  const record = useMemo(() => {
    if (threadId === undefined) return NO_RECORD;
    const key = ['answer-record', threadId];
    const made = queryClient.getQueryData<AnswerRecord>(key) ?? createAnswerRecord(api, threadId);
    queryClient.setQueryData(key, made);
    return made;
  }, [api, queryClient, threadId]);
  useEffect(() => {
    if (newestAnswerId !== undefined) record.readNewest().catch(reportError);
  }, [record, newestAnswerId]);
  return record;
}

export function useAnswerRecord(): AnswerRecord {
  return useContext(RecordContext);
}

export function useKnownAnswers(): KnownAnswers {
  const { subscribe, known } = useAnswerRecord();
  return useSyncExternalStore(subscribe, known);
}

/** Reads older answers until those of a turn that is looked at are known. */
export function useAnswersOf({ human, steps }: Turn): void {
  const { readOlder } = useAnswerRecord();
  const known = useKnownAnswers();
  const isRead = [human, ...steps].some((it) => it !== undefined && known.seen.has(it.id));
  useEffect(() => {
    if (!isRead && known.hasOlder) readOlder().catch(reportError);
  }, [isRead, known, readOlder]);
}
