// What is promised of runs (docs/contract/runs.md), streams, states and the agent, by the ids that tests cite.
export const runsRequirements = {
  'runs.create.both':
    'POST .../runs streams when Accept names event streams or the body has no assistant_id, else answers the run.',
  'runs.reserved-keys': 'user_id and owner_id of a request are in no run, no stream, no state and no prompt.',
  'runs.wait': 'wait answers the final values as JSON.',
  'runs.wait.interrupted':
    'wait and join of a run that waits for the person answer its questions as __interrupt__; of no other.',
  'runs.resume.choices':
    'A run that goes on with a waiting one has its model and its other choices, unless it makes its own.',
  'runs.stateless': 'A run without a thread makes one of the user and keeps it.',
  'runs.assistant.unknown': 'An unknown assistant_id is 404 and creates nothing.',
  'runs.thread.missing': 'A thread that is missing or foreign is 404; if_not_exists "create" makes it.',
  'runs.input.forms':
    'A text, a pair of role and content, and the dump of a message class are messages, in a list or alone.',
  'runs.input': 'Input messages come by role or type; malformed ones are 422.',
  'runs.record':
    'A run that ended has its token totals by caller and model, message count, reason and times.',
  'runs.list.pages':
    'GET .../runs reaches every run, with X-Pagination-Next while there are more, and select takes commas, too.',
  'runs.list': 'GET .../runs is {runs}, newest first, and a bare array with limit or offset.',
  'runs.follow-up': 'follow_up_to_run_id is the given one or the latest successful run of the thread.',
  'runs.follow-up.foreign':
    'A follow_up_to_run_id that is no run of the thread is 404, like a run that is absent.',
  'runs.owner': 'A run of another user is an absent run, on every route and stream.',
  'runs.multitask.reject': 'reject refuses a second run with 409; it is the default under /api.',
  'runs.multitask.enqueue': 'enqueue runs one after another in order; it is the default under /api/graph.',
  'runs.active.one': 'A thread never has two running runs.',
  'runs.cancel': 'Cancelling is idempotent, ends the run as interrupted and keeps its partial text.',
  'runs.cancel.pending': 'A pending run can be cancelled.',
  'runs.disconnect.continue': 'A run is never lost because its client left.',
  'runs.disconnect.cancel': 'on_disconnect "cancel" ends the run when its reader leaves.',
  'runs.stream.first-last': 'The first frame is metadata, the last one end, exactly once.',
  'runs.stream.never-started':
    'A run that ends before it was started shows metadata and end, live and replayed.',
  'runs.stream.ids': 'Frame ids are <seq>-<k>-<epoch> and rise strictly.',
  'runs.epochs.ids': 'Ids with and without an epoch are read; any other means from the start.',
  'runs.epochs.kept':
    'An id says how much of what its reader saw is still there, whatever the database has lost.',
  'runs.epochs.names': 'No two claims of a run have the same name for their epoch.',
  'runs.epochs.claim': 'Each claim begins an epoch behind what the log of the run holds.',
  'runs.epochs.live':
    'A reader that stays while the database loses what it saw is told so, and sees what follows what is left.',
  'runs.epochs.failover':
    'After a failover to a replica that was behind, its worker goes on with what there is, and readers that stay are told.',
  'runs.epochs.waits': 'A place that may still turn up is waited for, not taken for lost.',
  'runs.epochs.fresh': 'An epoch that only storage knows of is known.',
  'runs.epochs.memory':
    'What a process remembers of a run that ended is shown only while the database says that it ended so.',
  'runs.epochs.never-begun':
    'Who has seen the end of a run that was never taken up is told when the database has lost that end.',
  'runs.epochs.returns':
    'Who returns with an id of a lost epoch is told with a gap frame, and gets everything behind what is left.',
  'runs.stream.values':
    'values shows the full state after the input and after every step, the last one final.',
  'runs.stream.messages': 'messages are [chunk, metadata] with a role and the id that the state has.',
  'runs.stream.updates': 'updates are {node: update}; middleware nodes are <name>.before_agent and so on.',
  'runs.stream.tools': 'Tool calls stream as they grow, tool results come whole.',
  'runs.stream.other-modes': 'tasks, checkpoints, debug and events are streamed as the SDK types them.',
  'runs.stream.events.order':
    'Events tell a piece of a message before `messages-tuple` does, and with the end of a call what it was given.',
  'runs.stream.modes.invalid':
    'tools and unknown modes are 422 with the names of the modes there are, before a run is created.',
  'runs.stream.modes.default': 'No mode and an empty list or text mean values.',
  'runs.stream.modes.join': 'A reader that names no mode, or an empty text, is shown the modes of the run.',
  'runs.stream.growing':
    'messages shows each message as a whole while it grows, its metadata once before, and it complete at last.',
  'runs.stream.growing.new': 'messages shows what a run adds, and nothing that was said before it.',
  'runs.stream.growing.behind':
    'A reader of messages that is behind is shown a message as it stands by then.',
  'runs.stream.growing.resume':
    'A reader of messages that comes back in the middle of one is shown all of it.',
  'runs.stream.long': 'A state of more than 64 KB is sent in slices, in every mode that shows it.',
  'runs.stream.headers':
    'Streams carry Content-Location, Location without a prefix, and X-Accel-Buffering: no.',
  'runs.stream.heartbeat': 'In silence a heartbeat comes: a comment line without a blank line after it.',
  'runs.stream.replay': 'A reader that comes back with an id sees what follows it, in the same frames.',
  'runs.stream.replay.start':
    '-1, no id and a strange id mean from the start; a bare n means the whole event.',
  'runs.stream.replay.live': 'A reader that comes back in mid-run loses nothing and sees nothing twice.',
  'runs.stream.replay.modes': 'A reader may come back with other modes.',
  'runs.fail.set-up': 'A run that cannot be set up ends with error and end, and keeps the question.',
  'runs.fail.model': 'A provider that refuses ends the run with a sentence and without a secret.',
  'runs.fail.overflow': 'A prompt that is too long ends as context_overflow.',
  'runs.fail.unreachable': 'A model that nobody serves ends the run with error and end.',
  'runs.fail.wait': 'wait and join answer a failed run as 200 {"__error__": {error, message}}.',
  'runs.limit': 'recursion_limit is 25 under /api/graph and 100 under /api unless given, at most 1,000.',
  'runs.model.broken': 'An answer that breaks off is asked for once more, under the same message id.',
  'runs.model.broken.twice':
    'An answer that breaks off again fails the run; its text is kept, its calls are not.',
  'runs.recovery.stream': 'After kill -9 in mid-stream the run goes on and clients see each event once.',
  'runs.recovery.step': 'After kill -9 a finished step is not repeated.',
  'runs.recovery.acknowledged': 'After kill -9 everything that was acknowledged is there.',
  'runs.recovery.crash-loop': 'A run that kills its process three times ends as crashed_repeatedly.',
  'runs.recovery.fenced': 'A process whose run was taken over changes nothing any more.',
  'runs.log.common':
    'What a run only says is one row with what all others say; it is in its own rows with what it reports next.',
  'runs.log.blocked':
    'While somebody holds a thread, what its run reports waits; what other runs say and report does not.',
  'runs.log.outage': 'While the database does not answer, nothing is delivered; afterwards nothing is lost.',
  'running.stop':
    'SIGTERM: running runs get their time, what is left is handed over without a lost attempt, exit 0.',
  'threads.status':
    'A thread is busy during a run, then idle, interrupted or error, and takes the title as its name.',
  'state.shapes': "The state has the SDK's shape under /api/graph and the gateway's under /api.",
  'state.history.get': 'GET .../history answers as POST does, with limit and before in the query.',
  'state.sent-back':
    'What a state or history shows as values can be sent back as an update; an empty title changes nothing.',
  'state.history':
    'History is newest first: full values for the SDK, messages on the newest only for the gateway.',
  'state.bounds':
    'Answers with states are sent piece by piece; more than server.max_answer_mb is a 413 that says what to ask for.',
  'state.limit':
    'A state has a limit: updates and input beyond it are a 413 that names it, and a run ends after the step that went beyond.',
  'state.limit.counts':
    'Messages of an update, tool calls of a message and their ids are limited: 422 with the limit in the text.',
  'state.history.clock':
    'A clock that is set back changes no order: what goes on from a state is newer in the history, also after a branch, an update or a rollback.',
  'state.update.status':
    'After a state update the thread is idle, or interrupted when its new head waits for somebody.',
  'state.update': 'A state update goes through the reducer, renames the thread, and is 409 during a run.',
  'state.fold': 'The state is a fold of deltas; no delta changes the state before it.',
  'state.fold.linear':
    'A delta that removes many messages costs what the messages and the delta are together.',
  'state.snapshots': 'A fold reads at most twice the state, and snapshots stay linear in the thread.',
  'agent.loop.events': 'The loop reports every step with the state after it, and returns why it stopped.',
  'agent.loop.pace': 'The agent goes on when an event was taken.',
  'agent.loop.refused': 'An agent whose events are not taken any more begins no tool call and no model call.',
  'agent.tools.parallel': 'Tool calls of one answer run in parallel; results keep the order of the calls.',
  'agent.tools.late': 'Progress of a tool call is reported until the call has its result, and not behind it.',
  'agent.tools.throw': 'A tool that throws is a result with status error.',
  'agent.tools.errors': 'Unknown tools and bad arguments become error results.',
  'agent.clarification': 'ask_clarification ends the run as interrupted with a question.',
  'agent.abort.tools': 'An abort ends tools, and every call still has one result.',
  'agent.abort.model': 'An abort keeps what was said as a message without tool calls.',
  'agent.limit': 'The loop stops after its number of steps.',
  'agent.resume.effects': 'After a crash finished results are kept and a once tool is never run twice.',
  'agent.resume.message': 'A message that was lost is written again under the same id.',
  'agent.dangling': 'A new run leaves the open calls of an older answer alone.',
  'agent.middleware.order': 'Middleware works in the written order; its changes are steps of their own.',
  'agent.title': 'A thread gets its title from the first question, without a model call.',
  'agent.title.model': "A title model writes the title beside the answer; its tokens are the middleware's.",
  'agent.title.late': 'A title that needs a model call never delays the end.',
  'runs.multitask.interrupt': 'interrupt ends the run before it, which keeps what it said.',
  'runs.multitask.rollback': 'rollback takes the run before it out of the state and keeps its events.',
  'runs.multitask.pending': 'interrupt and rollback end waiting runs, too.',
  'runs.cancel.rollback': 'Cancelling with rollback restores the state from before the run.',
  'runs.cancel.quick': 'A run ends within a second when it is cancelled by way of another process.',
  'runs.cancel.over': 'Cancelling an ended run changes nothing.',
  'runs.cancel.race': 'Cancelling against completion gives exactly one end.',
  'runs.idempotency': 'The same Idempotency-Key of a user is the same run for 24 hours.',
  'runs.delayed': 'after_seconds delays a run without holding up others.',
  'runs.delete': 'An ended run can be removed; an active one is 409.',
  'runs.stateless.delete': 'on_completion delete removes the thread that a stateless run was given.',
  'runs.stateless.delete.later':
    'It goes also when the process dies before the run has ended, some time after its end.',
  'runs.batch': 'runs/batch creates one run for every body.',
  'runs.idempotency.batch':
    'A batch with an Idempotency-Key is a run for each body, and the same runs when it comes again.',
  'runs.idempotency.thread':
    'Copies of a stateless request with one Idempotency-Key leave one thread, each user one.',
  'state.checkpoint': 'The state can be read at any checkpoint.',
  'runs.recovery.waiting': 'A waiting run survives a kill and costs nothing.',
  'runs.recovery.idempotent': 'A retry with the same key after a kill is the same run.',
  'threads.delete.streaming': 'Deleting a streaming thread with force ends the stream; nothing comes back.',
  'runs.stream.many': 'A user has at most 20 streams open; the oldest is closed, its run goes on.',
  'runs.stream.revoked':
    'Streams, waits and joins end within 5 s when the session of their reader is revoked; the run goes on.',
  'runs.retention': 'After the retention a replay shows whole messages in the place of their pieces.',
  'runs.retention.content':
    'What the retention removes is never the content of an event that is written meanwhile.',
  'runs.retention.events':
    'After the retention, events still have the start and the end of every model call.',
  'runs.retention.gap': 'A reader whose place is pruned gets one gap frame and the retained rest.',
  'runs.retention.kept': 'A reader whose place is kept goes on without a gap.',
  'hitl.approve':
    'A tool under approval asks first; a waiting run costs nothing, and approval lets it go on.',
  'hitl.edit': 'An approval may edit the arguments.',
  'hitl.reject': 'A refusal tells the model the reason; nothing runs.',
  'hitl.once': 'once_per_thread asks once; an answer that is none is asked for again.',
  'hitl.twice':
    'A question is answered once: a second answer is 409, or its run ends without a model call and says why; the thread stays as it is.',
  'hitl.nothing': 'Resuming a thread that does not wait is 409.',
  'hitl.breakpoints': 'interrupt_before and interrupt_after stop a run; null input goes on.',
  'hitl.commands': 'command.update changes the state, command.goto chooses the node.',
  'travel.branch': 'A run from an older checkpoint branches; nothing is overwritten.',
  'travel.regenerate': 'An answer is written anew from the checkpoint before it.',
  'travel.head': 'A checkpoint equal to the head behaves like none.',
  'models.routes': 'GET /api/models lists the models, GET /api/models/{name} one; unknown is 404; no secret.',
  'events.catalogue':
    'A run records the events of the contract with their types, categories, content and metadata.',
  'events.truncation': 'Trace content is cut at a number of bytes on a character boundary, and says so.',
  'events.human': 'The human message is written once, before the run is running.',
  'runs.recovery.reader':
    'A process that has lost a run without knowing it shows what the run has said elsewhere.',
  'runs.recovery.back':
    'A process to which a lost run comes back executes its newest attempt only, and that to its end.',
  'runs.closed-calls':
    'A run that ends between an answer and its tools gives every call a result that says so.',
  'runs.rollback.branch':
    'A run from an older checkpoint that is rolled back leaves the thread where it stood before the run.',
  'runs.rollback.done':
    'A rollback restores the state from before the run also when its process died between the last step and the end.',
  'runs.rollback.unset': 'A rollback never takes away a state that the run did not begin from.',
  'sdk.readme': 'The example of the README runs as it stands.',
  'runs.branch.bounded':
    'However long a thread is, the transactions in which a run or a state update branches, or a run is rolled back, read a bounded number of rows.',
} as const;
