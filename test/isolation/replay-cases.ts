// Routes that prepare a run which answers again.
import type { Cases } from './attacks.ts';

export const REPLAY: Cases = {
  'POST /api/threads/{thread_id}/runs/regenerate/prepare': {
    body: { message_id: 'any' },
    attacks: [
      {
        fields: ['message_id'],
        kinds: ['message'],
        sent: ({ message }) => ({ body: { message_id: message } }),
      },
    ],
  },
  'POST /api/threads/{thread_id}/runs/edit-regenerate/prepare': {
    body: { human_message_id: 'any', replacement_text: 'mine' },
    attacks: [
      {
        fields: ['human_message_id'],
        kinds: ['message'],
        sent: ({ message }) => ({ body: { human_message_id: message, replacement_text: 'mine' } }),
      },
    ],
  },
};
