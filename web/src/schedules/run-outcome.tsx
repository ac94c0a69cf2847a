// What became of one time of a schedule, with the way to its chat.
import { Link } from '@tanstack/react-router';
import type { ScheduleRun } from '../api/schedule-calls.ts';
import { Badge } from '../ui/badge.tsx';
import { runWords } from './run-words.ts';

export function RunOutcome({ run }: { readonly run: ScheduleRun }) {
  const { word, tone } = runWords(run);
  return (
    <>
      <Badge tone={tone}>{word}</Badge>
      {run.thread_id !== null && run.status !== 'deleted' && (
        <Link
          to="/threads/$threadId"
          params={{ threadId: run.thread_id }}
          className="text-primary underline-offset-4 hover:underline pointer-coarse:py-1.5"
        >
          Open chat
        </Link>
      )}
    </>
  );
}
