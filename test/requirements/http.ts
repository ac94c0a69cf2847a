// Requirements of HTTP in general (docs/contract/conventions.md) and of threads (docs/contract/threads.md), by the ids that tests cite.
export const httpRequirements = {
  'http.errors.text': 'Errors are {detail: string}; authentication errors are {detail: {code, message}}.',
  'http.errors.validation': 'A request that fails validation is 422 {detail: [{loc, msg, type}]}.',
  'http.errors.unknown':
    'An unknown failure is 500 with a generic detail; the cause is logged once and never returned.',
  'http.errors.unavailable': 'If the database does not respond, the request is 503 with Retry-After.',
  'http.bad-input':
    'Every route returns 4xx for no body, null, arrays, wrong types, deep nesting and lone surrogates, and the service keeps running.',
  'http.hostile':
    'Database code and JSON paths in ids, metadata, filters, sorting, cursors and search queries never cause a failure.',
  'http.hostile.owner': 'None of that reads or changes a row of another user.',
  'http.bad-input.large': 'A body beyond the limit is 413 before it is read.',
  'http.json.slices': 'A long body is parsed like a short one: the same values, and the same refusals.',
  'http.bounds.stated':
    'Every text, list and free object of a request has a bound, which the API document states.',
  'http.bounds.metadata':
    'Metadata and filters by it have at most 64 keys and 16 KB; beyond that, a 422 names the limit.',
  'http.bounds.issues': 'The response to a refused request names at most a hundred problems.',
  'http.bounds.largest':
    'While a route reads its largest body, other requests are served; a text beyond its limit is 4xx.',
  'http.bad-input.type':
    'A body with another content type is 415; with an API key, JSON may have any content type.',
  'http.bad-input.keys': 'An object with a duplicate key is 422, and __proto__ is ignored.',
  'http.null': 'null counts as absent and unknown keys are ignored.',
  'http.cors.off': 'Without configured origins there is no CORS.',
  'http.cors.exact': 'CORS allows exactly the configured origins, with credentials and the exposed headers.',
  'http.headers':
    'Responses carry nosniff, no-referrer, no DNS prefetching, a CSP that forbids frames, and no-store.',
  'http.headers.https':
    'Responses over https carry Strict-Transport-Security for a year, unless server.hsts_seconds sets another time or 0.',
  'http.request-id': 'Every response carries a request id; log lines contain no query and no body.',
  'http.openapi':
    '/openapi.json and /docs are generated from the schemas used for validation and can be disabled.',
  'http.openapi.operations':
    'Every operation of /openapi.json has a unique id, a summary, described parameters, its headers, and its errors with their bodies.',
  'http.openapi.examples':
    'Every body and every response of /openapi.json has a valid example, and every schema can be satisfied.',
  'http.openapi.client': 'A client generated from /openapi.json compiles and can hold a conversation.',
  'http.openapi.answers':
    'Every response that a test reads has a status, a type and a body that /openapi.json declares for its operation.',
  'http.openapi.configurable':
    'The document lists the keys of config.configurable that a run reads, besides free ones.',
  'http.health': '/health is 200 {"status":"healthy"} and touches no dependency.',
  'http.health.ready': '/health/ready is 200 {"ready":true} or 503 {"ready":false, reasons}.',
  'http.replay':
    'A route returns the last question and the checkpoint before it, ready for a run that replies again, also to a reworded question.',
  'http.features':
    'Frontends can read which optional parts exist and which uploads a thread accepts, under the names they know.',
  'http.health.ready.disk':
    '/health/ready is 503 while the data home cannot be written or its disk has less free space than the minimum.',
  'http.loop-lag':
    'An event loop that was blocked for more than 200 ms is logged with the active routes, at most every ten seconds.',
  'http.query-lists': 'Both ?a=x&a=y and ?a=["x","y"] are accepted.',
  'http.target':
    'The target is a path in printable ASCII, and there is one Host, a name or an address with or without a port; anything else is 400.',
  'http.principal':
    'A non-public route runs only for a user, whatever let the request through the earlier checks.',
  'http.connections':
    'The open connections of one client address are limited; trusted proxies are not counted.',
  'http.web':
    "The service serves the web app from its folder, with the app's page for each of its own paths.",
  'http.web.once': 'Files of the web app are read and compressed once, and cached within a limit.',
  'http.web.public': 'Only files and pages of the web app are public; nothing outside its folder is served.',
  'http.server.slow': 'A client that does not send its request in time is disconnected.',
  'http.server.half-open': 'A connection whose peer vanished silently is freed within 90 s (Linux).',
  'http.server.half-open.recorded':
    'A connection is closed because of unacknowledged data, not because it is slow or lossy.',
  'http.server.stalled': 'A stalled reader is not sent more than it accepts, and is disconnected.',
  'http.server.limits': 'Oversized request heads are refused.',
  'http.server.close': 'Closing the server waits for active responses to end.',
  'threads.create':
    'Creating returns {thread_id, status, created_at, updated_at, metadata, values, interrupts, config}.',
  'threads.bodies.empty': 'Creating, searching and counting threads need no body.',
  'threads.create.idempotent': "Creating one's own existing thread returns the existing record.",
  'threads.create.taken': "Creating with another user's id is 409 with the text of any conflict.",
  'threads.create.if-exists':
    'With if_exists "raise" an existing thread of the user is a 409; with "do_nothing" it is returned.',
  'threads.create.id':
    'A client may choose an id that matches ^[A-Za-z0-9_-]{1,64}$; any other is 422 on every route.',
  'threads.reserved-keys':
    'owner_id and user_id are removed from the metadata of create, patch, copy and import.',
  'threads.hidden-fields': 'A thread record never contains user_id, display_name or assistant_id.',
  'threads.title': 'display_name is returned as values.title.',
  'threads.values': 'Under /api/graph a single thread shows its state as values.',
  'threads.search':
    'Search filters by metadata, status and ids, for the current user only, sorted and paged.',
  'threads.search.defaults':
    'limit is 10 under /api/graph and 100 under /api, 1 to 1,000; updated_at descending.',
  'threads.search.activity':
    'state_updated_at is the time of the last run or change of messages, and search sorts by it; titles, metadata and branches do not change it.',
  'threads.search.pages': 'X-Pagination-Total and X-Pagination-Next are set.',
  'threads.search.keys': 'A metadata key that does not match ^[A-Za-z0-9_.-]{1,64}$ is 422.',
  'threads.search.select': 'select names the fields to return.',
  'threads.count': 'threads/count returns a plain number for the same filter.',
  'http.search': 'GET /api/search finds threads by words in titles and messages, with marked snippets.',
  'http.search.query': 'Any text is a valid search query; one without a word finds nothing.',
  'http.search.limits': 'A missing query, and a limit or offset out of range, are 422.',
  'threads.patch': 'Patching merges the metadata; a missing thread is 404.',
  'threads.patch.minimal': 'Prefer: return=minimal under /api/graph returns 204.',
  'threads.delete':
    'Deleting returns {success, message} under /api and 204 under /api/graph; a second delete is 404.',
  'threads.delete.files':
    'Deleting removes the files; a failure is a 500 without the cause, and the deletion is completed later.',
  'threads.delete.busy':
    'Deleting is 409 while a run is active, unless force=true, which cancels the run first.',
  'threads.delete.race':
    'A deletion notices a run that is created at the same time: 409, or cancelled with force.',
  'threads.foreign': "Another user's thread is treated as absent: same status, same body, on every route.",
  'threads.ownerless': 'An ownerless thread is readable by everybody; destructive routes return 404.',
  'threads.changes':
    "GET /api/thread-changes sends the user's threads after each change, and which were deleted, from `ready` on.",
  'threads.changes.owner': 'It sends nothing about threads of others.',
  'threads.changes.ends':
    "It counts as one of the user's streams, and ends with the session and when the service stops.",
  'threads.changes.cluster': 'Changes by another process are sent within two seconds.',
  'threads.agent':
    'The metadata of a thread contains the agent of its latest run as graph_id and assistant_id, and search finds the thread by it.',
  'threads.timestamps': 'Timestamps are ISO 8601 in UTC with offset and milliseconds.',
} as const;
