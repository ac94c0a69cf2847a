// Makes the files of a chat what they were, and what they were before that.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Moment, Restored } from '../api/change-shapes.ts';
import { refreshFiles } from '../files/thread-files.ts';
import { useServices } from '../services.tsx';

export type Restore = ReturnType<typeof useRestore>;

export function useRestore(threadId: string) {
  const { api } = useServices();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (moment: Moment): Promise<Restored> => api.restoreFiles(threadId, moment),
    onSuccess: () => refreshFiles(queryClient, threadId),
  });
}
