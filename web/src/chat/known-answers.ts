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

/** Read on when `newest`, which names the last answer, is another one; kept for a while when the chat is left. */
export function useNewAnswerRecord(threadId: string | undefined, newest: string | undefined) {
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
    if (newest !== undefined) record.readNewest().catch(reportError);
  }, [record, newest]);
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
  const isRead = [human, ...steps].some((it) => it !== undefined && known.runOfMessage.has(it.id));
  useEffect(() => {
    if (!isRead && known.hasOlder) readOlder().catch(reportError);
  }, [isRead, known, readOlder]);
}
