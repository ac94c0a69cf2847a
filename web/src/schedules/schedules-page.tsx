// The page of schedules: the list, and how to add one.
import { CalendarClock, Plus } from 'lucide-react';
import { useState } from 'react';
import type { Schedule } from '../api/schedule-calls.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { AppPage, EmptyState } from '../ui/page.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { useNow } from '../ui/use-now.ts';
import { ScheduleDialog } from './schedule-dialog.tsx';
import { useSchedules, useSeenSchedules } from './schedule-queries.ts';
import { ScheduleRow } from './schedule-row.tsx';

export function SchedulesPage() {
  const schedules = useSchedules();
  const now = useNow();
  const [edited, setEdited] = useState<Schedule | 'new'>();
  useSeenSchedules(schedules.data);
  return (
    <>
      <AppPage
        title="Schedules"
        action={
          <Button size="small" onClick={() => setEdited('new')}>
            <Plus aria-hidden />
            New schedule
          </Button>
        }
      >
        <p className="text-sm leading-relaxed text-muted-foreground">
          A schedule makes the agent do something at set times, even while you are away. The results are in
          its chat.
        </p>
        {schedules.error !== null && (
          <Notice
            tone="danger"
            actions={
              <Button variant="secondary" size="small" onClick={() => void schedules.refetch()}>
                Try again
              </Button>
            }
          >
            {schedules.error.message}
          </Notice>
        )}
        {schedules.isPending && <Spinner className="mx-auto my-6" />}
        {schedules.data?.length === 0 && (
          <EmptyState icon={CalendarClock}>
            Nothing is scheduled. Have the agent bring you the news each morning, or tidy up every Friday.
          </EmptyState>
        )}
        {schedules.data !== undefined && schedules.data.length > 0 && (
          <ul
            aria-label="Schedules"
            className="divide-y divide-border overflow-hidden rounded-xl border border-border bg-surface"
          >
            {schedules.data.map((schedule) => (
              <ScheduleRow
                key={schedule.schedule_id}
                schedule={schedule}
                now={now}
                onEdit={() => setEdited(schedule)}
              />
            ))}
          </ul>
        )}
      </AppPage>
      {edited !== undefined && (
        <ScheduleDialog
          schedule={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(undefined)}
        />
      )}
    </>
  );
}
