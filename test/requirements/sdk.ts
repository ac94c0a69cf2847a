// Requirements of the official client and its React hook, in every version in use, by the ids that tests cite.
export const sdkRequirements = {
  'sdk.threads.crud': 'threads.create, get, update and delete work.',
  'sdk.threads.ids':
    'A client may choose its thread id; if_exists decides about an existing one; a malformed one is 422.',
  'sdk.threads.supersteps': 'threads.create starts a thread with the states in supersteps.',
  'sdk.threads.search': 'threads.search and count filter, page, sort and select.',
  'sdk.store.items':
    'store.putItem, getItem and deleteItem store, replace and delete JSON objects of the user.',
  'sdk.store.search':
    'store.searchItems finds items below a namespace by filters and words, in pages, ordered by last change or relevance.',
  'sdk.store.namespaces':
    'store.listNamespaces lists by prefix and suffix with wildcards, to a depth, in pages.',
  'sdk.store.ttl':
    'An item with a ttl is gone after that many minutes; reading it restarts the time unless the request says otherwise.',
  'sdk.store.limits':
    'Names, values, items and bytes of the store have limits that a refusal names; stored bytes count for the quota.',
  'sdk.store.owner':
    'Items of the store are visible only to their user, are deleted with the account, and are part of its export.',
  'sdk.threads.values':
    'threads.search and count filter by values of the state, among a limited number of threads; search extracts values by paths.',
  'sdk.threads.prune':
    'threads.prune deletes several threads, skips busy ones, and refuses to keep only the latest state.',
  'sdk.runs.cancel-many':
    'runs.cancelMany cancels runs by their ids, or all active ones of a thread or of the user.',
  'sdk.threads.copy': 'threads.copy creates an independent thread with the same state and metadata.',
  'sdk.state.empty': 'A thread without a run has an empty state with checkpoint null and an empty history.',
  'sdk.state':
    'getState and getHistory show every checkpoint with full values, newest first, with ids in the order of time.',
  'sdk.state.history': 'getHistory filters by metadata; only the root graph has a history.',
  'sdk.state.update': 'updateState changes the state at the head or at an older checkpoint, as a node.',
  'sdk.runs.stream':
    'runs.stream sends metadata first, then the requested modes, and end; onRunCreated receives the ids.',
  'sdk.runs.wait': 'runs.wait returns the final values and throws "<name>: <message>" for a failed run.',
  'sdk.runs.create':
    'runs.create returns the run immediately; runs.join returns its final values, even after its end.',
  'sdk.runs.list': 'runs.list is an array, newest first, with limit, offset, status and select.',
  'sdk.runs.enqueue': 'Queued runs are visible as pending, run in order, and can be cancelled.',
  'sdk.runs.cancel':
    'runs.cancel is 202 or, with wait, 204 after the end; it is idempotent and keeps partial text.',
  'sdk.runs.rollback': 'runs.cancel with rollback restores the state from before the run.',
  'sdk.runs.multitask': 'multitaskStrategy reject is 409; interrupt and rollback end the previous run.',
  'sdk.runs.delete': 'runs.delete removes an ended run; the state stays.',
  'sdk.runs.thread': 'ifNotExists creates the thread; afterSeconds delays the run, which can be cancelled.',
  'sdk.runs.stateless':
    'Runs without a thread can be streamed, waited for, created in batches and joined by their run id.',
  'sdk.runs.disconnect':
    'With onDisconnect cancel, the run ends when its reader disconnects; with continue, it does not.',
  'sdk.streams.join':
    'joinStream with lastEventId -1, an id or none replays each event once, then continues live.',
  'sdk.streams.modes': 'Lists in the query are accepted in both forms.',
  'sdk.streams.messages':
    'The mode messages shows each message as a whole while it grows, and complete at the end.',
  'sdk.streams.reconnect':
    'A stream that breaks reconnects by itself to Location, with each event once and one run.',
  'sdk.streams.quiet': 'No version treats heartbeats as events; after end the client makes no request.',
  'sdk.streams.error': 'A failed run streams error {error, message}, then end.',
  'sdk.streams.limit': 'A run over its recursion limit fails as GraphRecursionError.',
  'sdk.waiting.resume':
    'The questions to a person are in values.__interrupt__, in tasks and in the thread; command.resume continues.',
  'sdk.waiting.by-id':
    'command.resume accepts values by the id of the interrupt; without an open interrupt it is 409.',
  'sdk.waiting.breakpoints': 'interruptBefore and interruptAfter stop a run; null input resumes it.',
  'sdk.waiting.commands': 'command.update and command.goto work.',
  'sdk.branch': 'A run from an older checkpoint edits or regenerates; the older branch stays.',
  'sdk.branch.first': 'The history begins with an empty checkpoint, so the first message can be edited.',
  'sdk.subagents':
    'With streamSubgraphs sub-agents are streamed in their namespace, replayed identically, and have a history.',
  'sdk.assistants':
    'assistants.get, search, count and versions find the lead agent by its name and its derived id.',
  'sdk.assistants.defined':
    'Agents that a person has defined can be found, counted, described and run as assistants; those of others cannot.',
  'sdk.assistants.describe': 'assistants.getGraph, getSchemas and getSubgraphs describe the agent.',
  'sdk.assistants.read-only': 'Creating, changing and deleting assistants is refused with 403.',
  'sdk.assistants.runs': 'A run names its assistant by name or derived id; an unknown one is 404.',
  'sdk.errors':
    'Client errors are 4xx with {detail} and are not retried; another user gets the same response as for an absent record.',
  'sdk.runtime': 'GET /api/graph/ok and /api/graph/info respond without a session and without a key.',
  'hook.stream': 'useStream shows a reply while it is written and the stored messages afterwards.',
  'hook.reload': 'useStream continues after a reload in mid-stream, without a second run.',
  'hook.stop': 'stop of useStream ends the run, keeps the text so far and leaves no open interrupt.',
  'hook.branch': 'useStream can edit any message, including the first one, and switch between branches.',
  'hook.regenerate': 'useStream can generate a reply again and continue from the older one.',
  'hook.interrupt': 'useStream shows an interrupt, even after a reload, and its answer resumes the run.',
  'hook.tabs': 'Two tabs see one run, and a message from the second one is queued behind it.',
  'hook.subagents':
    'With filterSubagentMessages useStream shows the messages of the lead agent, and those of each sub-agent separately.',
  'hook.subagents.reload': 'After a reload useStream shows the messages of each sub-agent from its history.',
  'hook.queue': 'A message sent during a reply is processed after it, or ends it.',
} as const;
