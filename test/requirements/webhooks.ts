// Requirements of webhooks of runs, by the ids that tests cite.
export const webhookRequirements = {
  'webhook.call':
    'When a run has ended, in any way, its webhook is called with the run and its final values.',
  'webhook.failed':
    "GET /api/webhooks/failed lists the person's calls that failed permanently; POST …/{run_id}/retry repeats one.",
  'webhook.report': 'A run shows the status, attempts, last HTTP status and last failure of its webhook.',
  'webhook.signature':
    'A call is signed according to Standard Webhooks, with a secret of the user that can be read only in a session.',
  'webhook.retries':
    'A call without a 2xx response is repeated under the same id with growing pauses, and abandoned after the last attempt; 410 ends it.',
  'webhook.refused':
    'Only public addresses are called, unless the operator allows others; redirects are not followed; webhooks can be disabled.',
  'webhook.bounds': 'A call is limited in time and size; values that are too large are omitted.',
  'webhook.fair': 'Receivers of one user that hang do not use up places of another user.',
  'webhook.restart': 'A kill at any moment loses no call.',
  'webhook.claims':
    'Of several processes one gets a call, another one after its lease; a late outcome changes nothing.',
};
