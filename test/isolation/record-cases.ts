// Routes about what was recorded: messages, events and ratings.
import type { Case, Cases, FieldAttack } from './attacks.ts';

const NOTHING: Case = {};

const message: FieldAttack = {
  // Kept as it was given, whatever it names.
  fields: ['message_id'],
  kinds: ['message'],
  sent: ({ message }) => ({ body: { rating: 1, message_id: message } }),
  compare: 'status',
};
const RATING: Case = { body: { rating: 1 }, attacks: [message] };

export const RECORD: Cases = {
  'GET /api/threads/{thread_id}/messages': NOTHING,
  'GET /api/threads/{thread_id}/messages/page': NOTHING,
  'GET /api/threads/{thread_id}/events': NOTHING,
  'GET /api/threads/{thread_id}/runs/{run_id}/messages': NOTHING,
  'GET /api/threads/{thread_id}/runs/{run_id}/events': NOTHING,
  'GET /api/runs/{run_id}/messages': NOTHING,
  'GET /api/runs/{run_id}/feedback': NOTHING,
  'GET /api/threads/{thread_id}/runs/{run_id}/feedback': NOTHING,
  'GET /api/threads/{thread_id}/runs/{run_id}/feedback/stats': NOTHING,
  'POST /api/threads/{thread_id}/runs/{run_id}/feedback': RATING,
  'PUT /api/threads/{thread_id}/runs/{run_id}/feedback': RATING,
  'DELETE /api/threads/{thread_id}/runs/{run_id}/feedback': NOTHING,
  'DELETE /api/threads/{thread_id}/runs/{run_id}/feedback/{feedback_id}': NOTHING,
};
