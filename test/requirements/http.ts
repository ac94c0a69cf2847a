// What is promised of HTTP in general (docs/contract/conventions.md) and of threads (docs/contract/threads.md), by the ids that tests cite.
export const httpRequirements = {
  'http.errors.text': 'Errors are {detail: string}; authentication errors are {detail: {code, message}}.',
  'http.errors.validation': 'A request that does not validate is 422 {detail: [{loc, msg, type}]}.',
  'http.errors.unknown':
    'An unknown failure is 500 with a generic detail; the cause is logged once and never answered.',
  'http.errors.unavailable': 'Persistence that does not answer is 503 with Retry-After.',
  'http.bad-input':
    'Every route answers no body, null, arrays, wrong types, deep nesting and lone surrogates with 4xx and lives on.',
  'http.hostile':
    'Code of databases and JSON paths in ids, metadata, filters, sorting, cursors and search queries never fails.',
  'http.hostile.owner': 'Nothing of that reads or changes a row of somebody else.',
  'http.bad-input.large': 'A body beyond the limit is 413 before it is read.',
  'http.json.slices': 'A long body is read as a short one: the same values, and the same refusals.',
  'http.bounds.stated':
    'Every text, list and free object of a request has a bound, which the API document states.',
  'http.bounds.metadata':
    'Metadata and filters by it have at most 64 keys and 16 KB; beyond is 422 with the limit in the text.',
  'http.bounds.issues': 'The answer to a refused request names at most a hundred problems.',
  'http.bounds.largest':
    'The largest body of every route leaves others being answered, and a text beyond its limit is 4xx.',
  'http.bad-input.type':
    'A body of another content type is 415; JSON that comes with an API key may have any.',
  'http.bad-input.keys': 'An object that names a key twice is 422, and __proto__ is left out.',
  'http.null': 'null counts as absent and unknown keys are ignored.',
  'http.cors.off': 'Without configured origins there is no CORS.',
  'http.cors.exact': 'CORS answers exactly the configured origins, with credentials and the exposed headers.',
  'http.headers':
    'Answers carry nosniff, no-referrer, no DNS prefetching, a CSP that forbids frames, and no-store.',
  'http.headers.https':
    'Answers by https carry Strict-Transport-Security for a year, unless server.hsts_seconds says another time or 0.',
  'http.request-id': 'Every answer carries a request id; a log line has no query and no body.',
  'http.openapi': '/openapi.json and /docs are made from the schemas that validate and can be switched off.',
  'http.openapi.operations':
    'Every operation of /openapi.json has an id of its own, a summary, described parameters, its headers, and its errors with their bodies.',
  'http.openapi.examples':
    'Every body and every answer of /openapi.json has an example that is valid, and no schema in it is impossible to satisfy.',
  'http.openapi.client': 'A client generated from /openapi.json compiles and has a conversation.',
  'http.openapi.answers':
    'Every answer that a test reads has a status, a type and a body that /openapi.json names for its operation.',
  'http.openapi.configurable':
    'The document says what a run reads of config.configurable, beside the keys that are free.',
  'http.health': '/health is 200 {"status":"healthy"} with no dependency touched.',
  'http.health.ready': '/health/ready is 200 {"ready":true} or 503 {"ready":false, reasons}.',
  'http.replay':
    'The last question and the checkpoint before it come ready for a run that answers again, also in other words.',
  'http.features':
    'Frontends hear which optional parts there are, and what a thread takes of uploads, under the names they know.',
  'http.health.ready.disk':
    '/health/ready is 503 while the data home cannot be written or its disk has less free space than the floor.',
  'http.loop-lag':
    'An event loop that stood for more than 200 ms is logged with the routes at work, at most every ten seconds.',
  'http.query-lists': 'Both ?a=x&a=y and ?a=["x","y"] are read.',
  'http.target':
    'The target is a path in printable ASCII and there is one Host, a name or an address with or without a port; anything else is 400.',
  'http.principal':
    'A route that is not public runs for a user only, whatever let the request come as far as that.',
  'http.connections':
    'One client address holds open so many connections and no more; trusted proxies are not counted.',
  'http.web': 'The web app is served from its folder, with its page for its own paths.',
  'http.web.once': 'Files of the web app are read and compressed once, and kept within a limit.',
  'http.web.public':
    'Only the files and pages of the web app are public; nothing outside its folder is served.',
  'http.server.slow': 'A client that does not send its request in time is disconnected.',
  'http.server.half-open':
    'A connection whose other end is gone without a word is freed within 90 s (Linux).',
  'http.server.half-open.recorded':
    'Connections are given up for what is not acknowledged, and not for being slow or lossy.',
  'http.server.stalled': 'A reader that stalls is asked for no more than it takes, and is given up.',
  'http.server.limits': 'Oversized request heads are refused.',
  'http.server.close': 'Closing lets running answers end.',
  'threads.create':
    'Creating answers {thread_id, status, created_at, updated_at, metadata, values, interrupts, config}.',
  'threads.bodies.empty': 'Creating, searching and counting threads need no body.',
  'threads.create.idempotent': 'Creating an existing own thread answers the existing record.',
  'threads.create.taken': "Creating with somebody else's id is 409 with the text of any conflict.",
  'threads.create.if-exists':
    'if_exists "raise" makes an existing own thread a 409, "do_nothing" answers it.',
  'threads.create.id':
    'A client may bring an id that matches ^[A-Za-z0-9_-]{1,64}$, else 422 on every route.',
  'threads.reserved-keys':
    'owner_id and user_id are removed from the metadata of create, patch, copy and import.',
  'threads.hidden-fields': 'user_id, display_name and assistant_id are never in a thread record.',
  'threads.title': 'display_name is answered as values.title.',
  'threads.values': 'Under /api/graph a single thread shows its state as values.',
  'threads.search':
    'Search filters by metadata, status and ids, for the current user only, sorted and paged.',
  'threads.search.defaults':
    'limit is 10 under /api/graph and 100 under /api, 1 to 1,000; updated_at descending.',
  'threads.search.activity':
    'state_updated_at sorts by the last run or change of messages, and tells it; titles, metadata and branches leave it.',
  'threads.search.pages': 'X-Pagination-Total and X-Pagination-Next are set.',
  'threads.search.keys': 'A metadata key that does not match ^[A-Za-z0-9_.-]{1,64}$ is 422.',
  'threads.search.select': 'select names the fields to answer.',
  'threads.count': 'threads/count answers a bare number for the same filter.',
  'http.search': 'GET /api/search finds threads by words of their titles and messages, with marked snippets.',
  'http.search.query': 'Any text is a search query; one without a word finds nothing.',
  'http.search.limits': 'A missing query, and a limit or offset out of range, are 422.',
  'threads.patch': 'Patching merges the metadata; a missing thread is 404.',
  'threads.patch.minimal': 'Prefer: return=minimal under /api/graph answers 204.',
  'threads.delete':
    'Deleting answers {success, message} under /api and 204 under /api/graph; a second delete is 404.',
  'threads.delete.files':
    'Deleting removes the files; a failure is 500 that does not tell the cause, and is made good later.',
  'threads.delete.busy':
    'Deleting refuses with 409 while a run is active, unless force=true, which cancels it first.',
  'threads.delete.race':
    'A run that is made while its thread is being deleted is seen by the deletion: 409, or cancelled with force.',
  'threads.foreign': "Another user's thread is an absent one: same status, same body, on every route.",
  'threads.ownerless': 'An ownerless thread is shared for reading; destructive routes answer 404.',
  'threads.changes':
    "GET /api/thread-changes tells the user's threads as they are after a change, and which are deleted, from `ready` on.",
  'threads.changes.owner': 'Of the threads of others it tells nothing.',
  'threads.changes.ends':
    'It is one of the streams of its user, and ends with the session, and when the service stops.',
  'threads.changes.cluster': 'What another process did is told within two seconds.',
  'threads.agent':
    'The metadata of a thread names the agent of its latest run as graph_id and assistant_id, and finds it.',
  'threads.timestamps': 'Timestamps are ISO 8601 in UTC with offset and milliseconds.',
} as const;
