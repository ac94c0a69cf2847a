// Webhooks of runs, by the ids that tests cite.
export const webhookRequirements = {
  'webhook.call':
    'The webhook of a run is called when the run has ended, however it ended, with the run and its final values.',
  'webhook.failed':
    'GET /api/webhooks/failed lists the calls of the person that failed each time; POST …/{run_id}/retry makes one again.',
  'webhook.report': 'A run tells status, attempts, last HTTP status and last failure of its webhook.',
  'webhook.signature':
    'A call is signed as Standard Webhooks say, with a secret of the user that only a session can read.',
  'webhook.retries':
    'A call without a 2xx answer is repeated under the same id with growing pauses, and given up after the last; 410 ends it.',
  'webhook.refused':
    'Only public addresses are called, unless the operator allows others; redirects are not followed; it can be switched off.',
  'webhook.bounds': 'A call is bounded in time and size; values that are too large are left out.',
  'webhook.fair': 'Receivers of one user that hang take no place of another user.',
  'webhook.restart': 'A kill at any moment loses no call.',
  'webhook.claims':
    'Of several processes one gets a call, another one after its lease; what is late changes nothing.',
};
