// Beside the way to the schedules: how many of them have run since they were looked at.
import { useScheduleNews } from './schedule-queries.ts';

export function ScheduleNews() {
  const news = useScheduleNews();
  if (news === 0) return null;
  return (
    <span className="ml-auto rounded-full bg-primary px-1.5 py-px text-xs font-medium text-primary-foreground tabular-nums">
      <span className="sr-only">New results: </span>
      {news}
    </span>
  );
}
