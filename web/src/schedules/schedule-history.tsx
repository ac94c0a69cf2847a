// What became of the times of a schedule, the newest first.
import type { Schedule } from '../api/schedule-calls.ts';
import { useNow } from '../threads/use-now.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Notice } from '../ui/notice.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { RunOutcome } from './run-outcome.tsx';
import { runDetail } from './run-words.ts';
import { useScheduleRuns } from './schedule-queries.ts';
import { momentText } from './timing.ts';

interface ScheduleHistoryProps {
  readonly schedule: Schedule;
  readonly onClose: () => void;
}

export function ScheduleHistory({ schedule, onClose }: ScheduleHistoryProps) {
  const history = useScheduleRuns(schedule.schedule_id);
  const now = useNow();
  const runs = history.data?.pages.flatMap((page) => page.runs) ?? [];
  return (
    <Dialog open onClose={onClose} title={`History of ${schedule.name}`} width="wide">
      {history.error !== null && <Notice tone="danger">{history.error.message}</Notice>}
      {history.isPending && <Spinner className="mx-auto my-6" />}
      {history.isSuccess && runs.length === 0 && (
        <p className="text-sm text-muted-foreground">It has not run yet.</p>
      )}
      <ol aria-label="Runs" className="divide-y divide-border">
        {runs.map((run) => (
          <li key={`${run.slot} ${run.trigger}`} className="grid gap-1 py-2.5 text-sm">
            <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
              <time dateTime={run.slot} className="min-w-40 tabular-nums">
                {momentText(run.slot, now)}
              </time>
              <RunOutcome run={run} />
              {run.trigger === 'manual' && <span className="text-muted-foreground">Run by hand</span>}
            </div>
            {runDetail(run) !== undefined && (
              <p className="text-[0.8125rem] text-muted-foreground [overflow-wrap:anywhere]">
                {runDetail(run)}
              </p>
            )}
          </li>
        ))}
      </ol>
      {history.hasNextPage && (
        <Button
          look="quiet"
          size="small"
          className="mt-2 w-full"
          disabled={history.isFetchingNextPage}
          onClick={() => void history.fetchNextPage()}
        >
          Show earlier ones
        </Button>
      )}
    </Dialog>
  );
}
