// The badge beside the link to the schedules: the number that have run since the person last saw them.
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
