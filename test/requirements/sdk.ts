// What the official client and its React hook must be able to do, in every version that people have, by the ids that tests cite.
export const sdkRequirements = {
  'sdk.threads.crud': 'threads.create, get, update and delete work.',
  'sdk.threads.ids':
    'A client may bring its thread id; if_exists decides about an existing one; a malformed one is 422.',
  'sdk.threads.supersteps': 'threads.create begins a thread with the states in supersteps.',
  'sdk.threads.search': 'threads.search and count filter, page, sort and select.',
  'sdk.store.items':
    'store.putItem, getItem and deleteItem keep, replace and delete JSON objects of the user.',
  'sdk.store.search':
    'store.searchItems finds items below a namespace by filters and words, in pages, the last changed or the best first.',
  'sdk.store.namespaces':
    'store.listNamespaces lists by prefix and suffix with wildcards, to a depth, in pages.',
  'sdk.store.ttl':
    'An item with a ttl is gone after so many minutes; reading it begins them anew, unless it should not.',
  'sdk.store.limits':
    'Names, values, items and bytes of the store have limits that a refusal names; what is kept counts in the quota.',
  'sdk.store.owner': 'What is in the store is its user’s alone, goes with the account, and is in its export.',
  'sdk.threads.values':
    'threads.search and count filter by values of the state, few states at a time; search extracts values by paths.',
  'sdk.threads.prune':
    'threads.prune deletes several threads, leaves busy ones, and refuses to keep the latest state alone.',
  'sdk.runs.cancel-many':
    'runs.cancelMany cancels runs by their ids, or all active ones of a thread or of the user.',
  'sdk.threads.copy':
    'threads.copy makes an independent thread with the state and the metadata of the first.',
  'sdk.state.empty': 'A thread without a run has an empty state with checkpoint null and an empty history.',
  'sdk.state':
    'getState and getHistory show every checkpoint with full values, newest first, ids in the order of time.',
  'sdk.state.history': 'getHistory filters by metadata; the root graph is the only one that has a history.',
  'sdk.state.update': 'updateState changes the state at the head or at an older checkpoint, as a node.',
  'sdk.runs.stream':
    'runs.stream sends metadata first, the modes asked for, and end; onRunCreated is told the ids.',
  'sdk.runs.wait': 'runs.wait answers the final values and throws "<name>: <message>" of a failed run.',
  'sdk.runs.create':
    'runs.create answers the run at once; runs.join answers its final values, also after its end.',
  'sdk.runs.list': 'runs.list is an array, newest first, with limit, offset, status and select.',
  'sdk.runs.enqueue': 'Queued runs are visible as pending, run in order, and can be cancelled.',
  'sdk.runs.cancel':
    'runs.cancel answers 202 or, with wait, 204 after the end; it is idempotent and keeps partial text.',
  'sdk.runs.rollback': 'runs.cancel with rollback restores the state from before the run.',
  'sdk.runs.multitask': 'multitaskStrategy reject is 409; interrupt and rollback end the run before.',
  'sdk.runs.delete': 'runs.delete removes an ended run; the state stays.',
  'sdk.runs.thread': 'ifNotExists makes the thread; afterSeconds delays the run, which can be cancelled.',
  'sdk.runs.stateless':
    'Runs without a thread stream, wait, are created in batches and joined by their run id.',
  'sdk.runs.disconnect': 'onDisconnect cancel ends the run when its reader leaves, continue does not.',
  'sdk.streams.join':
    'joinStream with lastEventId -1, an id or none replays each event once, then goes on live.',
  'sdk.streams.modes': 'Lists in the query are read in both forms.',
  'sdk.streams.messages': 'The mode messages shows messages as wholes while they grow, and complete.',
  'sdk.streams.reconnect':
    'A stream that breaks goes on by itself after Location, each event once, with one run.',
  'sdk.streams.quiet': 'Heartbeats are no events for any version; after end the client asks for nothing.',
  'sdk.streams.error': 'A failed run streams error {error, message}, then end.',
  'sdk.streams.limit': 'A run over its recursion limit fails as GraphRecursionError.',
  'sdk.waiting.resume':
    'What a person is asked is in values.__interrupt__, in tasks and in the thread; command.resume goes on.',
  'sdk.waiting.by-id': 'command.resume takes values by the id of the interrupt; nothing to resume is 409.',
  'sdk.waiting.breakpoints': 'interruptBefore and interruptAfter stop a run; null input goes on.',
  'sdk.waiting.commands': 'command.update and command.goto work.',
  'sdk.branch': 'A run from an older checkpoint edits or regenerates; the older branch stays.',
  'sdk.branch.first': 'The history begins with an empty checkpoint, so the first message can be edited.',
  'sdk.subagents':
    'With streamSubgraphs sub-agents are streamed in their namespace, replayed alike, and have a history.',
  'sdk.assistants':
    'assistants.get, search, count and versions know the lead agent by its name and its derived id.',
  'sdk.assistants.defined':
    'Agents that a person has defined are found, counted, described and run as assistants; those of others are not.',
  'sdk.assistants.describe': 'assistants.getGraph, getSchemas and getSubgraphs describe the agent.',
  'sdk.assistants.read-only': 'Creating, changing and deleting assistants is refused with 403.',
  'sdk.assistants.runs': 'A run names its assistant by name or derived id; an unknown one is 404.',
  'sdk.errors': 'Mistakes are 4xx with {detail}, tried once; another user is told what a stranger is told.',
  'sdk.runtime': 'GET /api/graph/ok and /api/graph/info answer, without a session and without a key.',
  'hook.stream': 'useStream shows an answer while it is written and, after it, what is kept.',
  'hook.reload': 'useStream goes on after a reload in mid-stream, without a second run.',
  'hook.stop': 'stop of useStream ends the run, keeps what was written and leaves nothing to answer.',
  'hook.branch': 'useStream edits any message, the first one too, and switches between branches.',
  'hook.regenerate': 'useStream writes an answer anew and goes on from the older one.',
  'hook.interrupt': 'useStream shows a question, also after a reload, and its answer goes on with the run.',
  'hook.tabs': 'Two tabs see one run, and what the second asks is queued behind it.',
  'hook.subagents':
    'With filterSubagentMessages useStream shows the messages of the lead agent, and each sub-agent with its own.',
  'hook.subagents.reload': 'After a reload useStream shows the messages of each sub-agent from its history.',
  'hook.queue': 'What is sent while an answer is written comes after it, or ends it.',
} as const;
