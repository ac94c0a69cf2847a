// Routes about schedules, and about webhooks that failed.
import type { Cases, FieldAttack } from './attacks.ts';

const SCHEDULE = { name: 'mine', prompt: 'mine', cron: '0 9 * * *' };

const FIELDS: readonly FieldAttack[] = [
  {
    fields: ['thread_id'],
    kinds: ['thread'],
    sent: ({ thread }) => ({ body: { ...SCHEDULE, thread_id: thread } }),
  },
  {
    fields: ['assistant_id'],
    kinds: ['agent'],
    sent: ({ agent }) => ({ body: { ...SCHEDULE, assistant_id: agent } }),
  },
];

export const SCHEDULES: Cases = {
  'GET /api/schedules': {},
  'POST /api/schedules': { body: SCHEDULE, attacks: FIELDS },
  'GET /api/schedules/{schedule_id}': {},
  'PATCH /api/schedules/{schedule_id}': { body: { name: 'mine' }, attacks: FIELDS },
  'DELETE /api/schedules/{schedule_id}': {},
  'POST /api/schedules/{schedule_id}/pause': {},
  'POST /api/schedules/{schedule_id}/resume': {},
  'POST /api/schedules/{schedule_id}/run': {},
  'GET /api/webhooks/failed': {},
  'POST /api/webhooks/failed/{run_id}/retry': {},
  'GET /api/schedules/{schedule_id}/runs': { nobodys: { before: 'a time' } },
};
