// Runs whose numbers began at the same time get places of their own, so that no reader is shown a number twice.
import type { Migration } from './migration.ts';

export const runPlaces: Migration = {
  number: 29,
  name: 'run places',
  statements: [
    `update runs set numbers_from = placed.numbers_from
    from (
      select run_id, place + max(numbers_from - place) over (partition by thread_id order by place) as numbers_from
      from (
        select run_id, thread_id, numbers_from, row_number() over (
          partition by thread_id order by numbers_from, created_at, run_id
        ) as place
        from runs where numbers_from is not null
      ) as line
    ) as placed
    where runs.run_id = placed.run_id and runs.numbers_from <> placed.numbers_from`,
  ],
};
