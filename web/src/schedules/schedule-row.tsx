// One schedule in the list: its next run, the outcome of its last run, and its actions.
import { type ReactNode, useState } from 'react';
import type { Schedule } from '../api/schedule-calls.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog, Dialog } from '../ui/dialog.tsx';
import { Notice } from '../ui/notice.tsx';
import { agoText } from '../ui/relative-time.ts';
import { Spinner } from '../ui/spinner.tsx';
import { useNow } from '../ui/use-now.ts';
import { isUnderWay, pauseText, RunOutcome, runDetail } from './run-outcome.tsx';
import { useScheduleChange, useScheduleRuns } from './schedule-queries.ts';
import { momentText, timingText } from './timing.ts';

interface ScheduleRowProps {
  readonly schedule: Schedule;
  readonly now: Date;
  readonly onEdit: () => void;
}

export function ScheduleRow({ schedule, now, onEdit }: ScheduleRowProps) {
  const { schedule_id: id, name, prompt, status, last_run: last } = schedule;
  const [opened, setOpened] = useState<'history' | 'delete'>();
  const run = useScheduleChange((api, _: undefined) => api.runSchedule(id));
  const hold = useScheduleChange((api, isPaused: boolean) =>
    isPaused ? api.resumeSchedule(id) : api.pauseSchedule(id),
  );
  const remove = useScheduleChange((api, _: undefined) => api.deleteSchedule(id));
  const isPaused = status === 'paused';
  const failed = run.error ?? hold.error;
  return (
    <li className="grid gap-2 px-4 py-3">
      <div className="grid gap-0.5">
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm font-medium">
          <span className="[overflow-wrap:anywhere]">{name}</span>
          {isPaused && <Badge tone="warning">{pauseText(schedule.paused_because)}</Badge>}
          {status === 'finished' && <Badge>Finished</Badge>}
        </span>
        <span
          dir="auto"
          className="line-clamp-2 text-[0.8125rem] leading-snug text-muted-foreground [overflow-wrap:anywhere]"
        >
          {prompt}
        </span>
      </div>
      <ScheduleTimes schedule={schedule} now={now} />
      {failed !== null && <Notice tone="danger">{failed.message}</Notice>}
      <div className="flex flex-wrap gap-1">
        <Button variant="secondary" size="small" aria-label={`Edit ${name}`} onClick={onEdit}>
          Edit
        </Button>
        <Action
          label="Run now"
          of={name}
          disabled={run.isPending || (last !== null && isUnderWay(last))}
          onClick={() => run.mutate(undefined)}
        />
        {status !== 'finished' && (
          <Action
            label={isPaused ? 'Resume' : 'Pause'}
            of={name}
            disabled={hold.isPending}
            onClick={() => hold.mutate(isPaused)}
          />
        )}
        <Action label="History" of={name} onClick={() => setOpened('history')} />
        <Action label="Delete" of={name} onClick={() => setOpened('delete')} />
      </div>
      {opened === 'history' && <ScheduleHistory schedule={schedule} onClose={() => setOpened(undefined)} />}
      {opened === 'delete' && (
        <ConfirmDialog
          title="Delete this schedule?"
          description={`${name} will not run again, and its history is deleted. The chats of its runs stay.`}
          action="Delete"
          isPending={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate(undefined, { onSuccess: () => setOpened(undefined) })}
          onClose={() => setOpened(undefined)}
        />
      )}
    </li>
  );
}

function ScheduleTimes({ schedule, now }: Pick<ScheduleRowProps, 'schedule' | 'now'>) {
  const { status, next_run_at: next, last_run: last } = schedule;
  return (
    <dl className="grid gap-1 text-[0.8125rem]">
      <Line name="Runs">{timingText(schedule)}</Line>
      {next !== null && status !== 'paused' && (
        <Line name="Next">
          <time dateTime={next}>{momentText(next, now)}</time>
        </Line>
      )}
      {last !== null && (
        <Line name="Last">
          <RunOutcome run={last} />
          <time dateTime={last.ended_at ?? last.slot} className="text-muted-foreground">
            {agoText(new Date(last.ended_at ?? last.slot), now)}
          </time>
        </Line>
      )}
    </dl>
  );
}

interface ActionProps {
  readonly label: string;
  readonly of: string;
  readonly disabled?: boolean;
  readonly onClick: () => void;
}

function Action({ label, of, ...button }: ActionProps) {
  return (
    <Button variant="quiet" size="small" className="px-2" aria-label={`${label}: ${of}`} {...button}>
      {label}
    </Button>
  );
}

function Line({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
      <dt className="w-10 text-muted-foreground">{name}</dt>
      <dd className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1 [overflow-wrap:anywhere]">
        {children}
      </dd>
    </div>
  );
}

interface ScheduleHistoryProps {
  readonly schedule: Schedule;
  readonly onClose: () => void;
}

function ScheduleHistory({ schedule, onClose }: ScheduleHistoryProps) {
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
              {run.trigger === 'manual' && <span className="text-muted-foreground">Started by hand</span>}
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
          variant="quiet"
          size="small"
          className="mt-2 w-full"
          disabled={history.isFetchingNextPage}
          onClick={() => void history.fetchNextPage()}
        >
          Show earlier runs
        </Button>
      )}
    </Dialog>
  );
}
