// Requirements of runs (docs/contract/runs.md), streams, states and the agent, by the ids that tests cite.
export const runsRequirements = {
  'runs.create.both':
    'POST .../runs streams if Accept names event streams or the body has no assistant_id; otherwise it returns the run.',
  'runs.reserved-keys': 'user_id and owner_id of a request appear in no run, stream, state or prompt.',
  'runs.wait': 'wait returns the final values as JSON.',
  'runs.wait.interrupted':
    'wait and join return the questions of an interrupted run as __interrupt__, and of no other run.',
  'runs.resume.choices':
    'A run that resumes an interrupted one has its model and other options, unless it sets its own.',
  'runs.stateless': 'A run without a thread creates one for the user and keeps it.',
  'runs.assistant.unknown': 'An unknown assistant_id is 404 and creates nothing.',
  'runs.thread.missing': 'A missing or foreign thread is 404; if_not_exists "create" creates it.',
  'runs.input.forms':
    'A text, a pair of role and content, and the dump of a message class are messages, alone or in a list.',
  'runs.input': 'Input messages are given by role or type; malformed ones are 422.',
  'runs.record': 'An ended run has its token totals by caller and model, message count, reason and times.',
  'runs.list.pages':
    'GET .../runs reaches every run, with X-Pagination-Next while there are more; select also accepts commas.',
  'runs.list': 'GET .../runs is {runs}, newest first, and a bare array with limit or offset.',
  'runs.follow-up': 'follow_up_to_run_id is the given one or the latest successful run of the thread.',
  'runs.follow-up.foreign':
    'A follow_up_to_run_id that is not a run of the thread is 404, like an absent run.',
  'runs.owner': "Another user's run is treated as absent, on every route and stream.",
  'runs.multitask.reject': 'reject refuses a second run with 409; it is the default under /api.',
  'runs.multitask.enqueue':
    'enqueue executes runs one after another in order; it is the default under /api/graph.',
  'runs.active.one': 'A thread never has two running runs.',
  'runs.cancel': 'Cancelling is idempotent, ends the run as interrupted and keeps its partial text.',
  'runs.cancel.pending': 'A pending run can be cancelled.',
  'runs.disconnect.continue': 'A run continues when its client disconnects.',
  'runs.disconnect.cancel': 'on_disconnect "cancel" ends the run when its reader disconnects.',
  'runs.stream.first-last': 'The first frame is metadata, the last one end, each exactly once.',
  'runs.stream.never-started': 'A run that ends before it starts shows metadata and end, live and replayed.',
  'runs.stream.ids': 'Frame ids are <seq>-<k>-<epoch> and strictly increase.',
  'runs.epochs.ids': 'Ids with and without an epoch are accepted; any other means from the start.',
  'runs.epochs.kept':
    'An id shows how much of what its reader saw still exists, whatever the database has lost.',
  'runs.epochs.names': 'No two claims of a run have the same epoch name.',
  'runs.epochs.claim': "Each claim starts an epoch after the end of the run's log.",
  'runs.epochs.live':
    'A connected reader is told when the database loses frames that it saw, and sees what follows the remaining ones.',
  'runs.epochs.failover':
    'After a failover to a replica that was behind, the worker continues from what exists, and connected readers are told.',
  'runs.epochs.waits': 'A position that may still appear is waited for and not treated as lost.',
  'runs.epochs.fresh': 'An epoch that only storage contains is recognised.',
  'runs.epochs.memory': 'The cached end of a run is shown only while the database confirms it.',
  'runs.epochs.never-begun':
    'A reader that has seen the end of a run that was never taken up is told if the database has lost that end.',
  'runs.epochs.returns':
    'A reader that returns with an id of a lost epoch gets a gap frame, and then everything after the remaining frames.',
  'runs.stream.values':
    'values shows the full state after the input and after every step; the last one is final.',
  'runs.stream.messages': 'messages are [chunk, metadata] with the role and id that the state has.',
  'runs.stream.updates': 'updates are {node: update}; middleware nodes are <name>.before_agent and so on.',
  'runs.stream.tools': 'Tool calls stream as they grow, tool results arrive whole.',
  'runs.stream.other-modes': 'tasks, checkpoints, debug and events are streamed as the SDK types them.',
  'runs.stream.events.order':
    'Events show a piece of a message before `messages-tuple` does, and the end of a call contains its input.',
  'runs.stream.modes.invalid':
    'tools and unknown modes are 422 with the names of the existing modes, before a run is created.',
  'runs.stream.modes.default': 'No mode and an empty list or text mean values.',
  'runs.stream.modes.join': 'A reader that names no mode, or an empty text, gets the modes of the run.',
  'runs.stream.growing':
    'messages shows each message as a whole while it grows, its metadata once before, and the complete message at the end.',
  'runs.stream.growing.new': 'messages shows what a run adds, and no earlier messages.',
  'runs.stream.growing.behind': 'A slow reader of messages gets the current version of a message.',
  'runs.stream.growing.resume': 'A reader of messages that reconnects inside a message gets all of it.',
  'runs.stream.long': 'A state of more than 64 KB is sent in slices, in every mode that shows it.',
  'runs.stream.headers':
    'Streams carry Content-Location, Location without a prefix, and X-Accel-Buffering: no.',
  'runs.stream.heartbeat':
    'During silence a heartbeat is sent: a comment line without a blank line after it.',
  'runs.stream.replay': 'A reader that returns with an id sees what follows it, in the same frames.',
  'runs.stream.replay.start':
    '-1, no id and an unknown id mean from the start; a bare n means after the whole event.',
  'runs.stream.replay.live': 'A reader that reconnects during a run misses nothing and sees nothing twice.',
  'runs.stream.replay.modes': 'A reader may reconnect with other modes.',
  'runs.fail.set-up':
    'A run that cannot be set up ends with error and end, and the thread keeps the question.',
  'runs.fail.model': "A provider's refusal ends the run with a sentence and without a secret.",
  'runs.fail.overflow': 'A prompt that is too long ends as context_overflow.',
  'runs.fail.unreachable': 'An unreachable model ends the run with error and end.',
  'runs.fail.wait': 'wait and join return a failed run as 200 {"__error__": {error, message}}.',
  'runs.limit': 'recursion_limit defaults to 25 under /api/graph and 100 under /api, and is at most 1,000.',
  'runs.model.broken':
    'After a reply that breaks off the model is called once more, with the same message id.',
  'runs.model.broken.twice':
    'A reply that breaks off again fails the run; its text is kept, its calls are not.',
  'runs.recovery.stream': 'After kill -9 in mid-stream the run continues and clients see each event once.',
  'runs.recovery.step': 'After kill -9 a finished step is not repeated.',
  'runs.recovery.acknowledged': 'After kill -9 everything that was acknowledged is there.',
  'runs.recovery.crash-loop': 'A run that kills its process three times ends as crashed_repeatedly.',
  'runs.recovery.fenced': 'A process whose run was taken over can no longer change anything.',
  'runs.recovery.registering': 'A process whose registration takes long does not look fenced.',
  'runs.log.common':
    "Pieces of text of all runs share one row of the run log; they move to the run's own rows with its next report.",
  'runs.log.blocked':
    'While a thread is locked, reports of its run wait; text and reports of other runs do not.',
  'runs.log.outage': 'While the database does not respond, nothing is delivered; afterwards nothing is lost.',
  'running.stop':
    'After SIGTERM running runs get their time, the rest is handed over without losing an attempt, and the exit code is 0.',
  'threads.status':
    'A thread is busy during a run, then idle, interrupted or error, and takes the title as its name.',
  'state.shapes': "The state has the SDK's shape under /api/graph and the gateway's under /api.",
  'state.history.get': 'GET .../history returns the same as POST, with limit and before in the query.',
  'state.sent-back':
    'The values of a state or history can be sent back as an update; an empty title changes nothing.',
  'state.history':
    'History is newest first: full values for the SDK; for the gateway, only the newest entry has messages.',
  'state.bounds':
    'Responses with states are sent piece by piece; more than server.max_answer_mb is a 413 that says what to request instead.',
  'state.limit':
    'A state has a size limit: updates and input beyond it are a 413 that names it, and a run ends after the step that exceeded it.',
  'state.limit.counts':
    'Messages of an update, tool calls of a message and their ids are limited: 422 with the limit in the text.',
  'state.history.clock':
    'Setting the clock back changes no order: what continues from a state is newer in the history, even after a branch, an update or a rollback.',
  'state.update.status':
    'After a state update the thread is idle, or interrupted if its new head has an open interrupt.',
  'state.update': 'A state update goes through the reducer, renames the thread, and is 409 during a run.',
  'state.fold': 'The state is a fold of deltas; no delta changes the earlier state.',
  'state.fold.linear':
    'The cost of a delta that removes many messages is linear in the messages and the delta.',
  'state.snapshots': 'A fold reads at most twice the state, and snapshots grow linearly with the thread.',
  'agent.loop.events': 'The loop reports every step with the state after it, and returns why it stopped.',
  'agent.loop.pace': 'The agent continues only after an event was accepted.',
  'agent.loop.refused': 'An agent whose events are no longer accepted starts no tool call and no model call.',
  'agent.tools.parallel': 'Tool calls of one reply run in parallel; results keep the order of the calls.',
  'agent.tools.late':
    'Progress of a tool call is reported until the call has its result, and not afterwards.',
  'agent.tools.throw': 'A tool that throws produces a result with status error.',
  'agent.tools.errors': 'Unknown tools and bad arguments become error results.',
  'agent.clarification': 'ask_clarification ends the run as interrupted with a question.',
  'agent.abort.tools': 'An abort ends tools, and every call still gets one result.',
  'agent.abort.model': 'An abort keeps the text so far as a message without tool calls.',
  'agent.limit': 'The loop stops after its number of steps.',
  'agent.resume.effects': 'After a crash finished results are kept and a once tool never runs twice.',
  'agent.resume.message': 'A message that was lost is generated again with the same id.',
  'agent.dangling': 'A new run ignores the open calls of an older reply.',
  'agent.middleware.order': 'Middleware runs in the listed order; its changes are separate steps.',
  'agent.title': 'A thread gets its title from the first question, without a model call.',
  'agent.title.model': "A title model writes the title alongside the reply; its tokens are the middleware's.",
  'agent.title.late': 'A title that needs a model call never delays the end of the run.',
  'runs.multitask.interrupt': 'interrupt ends the previous run, which keeps its text.',
  'runs.multitask.rollback': 'rollback removes the previous run from the state and keeps its events.',
  'runs.multitask.pending': 'interrupt and rollback end pending runs, too.',
  'runs.cancel.rollback': 'Cancelling with rollback restores the state from before the run.',
  'runs.cancel.quick': 'A run that is cancelled through another process ends within a second.',
  'runs.cancel.over': 'Cancelling an ended run changes nothing.',
  'runs.cancel.race': 'When cancellation races with completion, the run has exactly one end.',
  'runs.idempotency': 'For 24 hours, the same Idempotency-Key of a user returns the same run.',
  'runs.delayed': 'after_seconds delays a run without delaying others.',
  'runs.delete': 'An ended run can be deleted; deleting an active one is 409.',
  'runs.stateless.delete': 'on_completion delete removes the thread that was created for a stateless run.',
  'runs.stateless.delete.later':
    'The thread is also removed, some time after the end, if the process dies before the run has ended.',
  'runs.batch': 'runs/batch creates one run for every body.',
  'runs.idempotency.batch':
    'A batch with an Idempotency-Key creates a run for each body; repeating it returns the same runs.',
  'runs.idempotency.thread':
    'Repeated stateless requests with one Idempotency-Key leave one thread, for each user their own.',
  'state.checkpoint': 'The state can be read at any checkpoint.',
  'runs.recovery.waiting': 'An interrupted run survives a kill and costs nothing.',
  'runs.recovery.idempotent': 'After a kill, a retry with the same key returns the same run.',
  'threads.delete.streaming':
    'Deleting a streaming thread with force ends the stream; nothing is written afterwards.',
  'runs.stream.many':
    'A user has at most 20 open streams; beyond that the oldest is closed and its run continues.',
  'runs.stream.revoked':
    "Streams, waits and joins end within 5 s after their reader's session is revoked; the run continues.",
  'runs.retention': 'After the retention a replay shows whole messages instead of their pieces.',
  'runs.retention.content': 'The retention never removes the content of an event that is being written.',
  'runs.retention.events':
    'After the retention, events still have the start and the end of every model call.',
  'runs.retention.gap': 'A reader whose position was pruned gets one gap frame and the retained rest.',
  'runs.retention.kept': 'A reader whose position still exists continues without a gap.',
  'hitl.approve':
    'A tool under approval asks first; an interrupted run costs nothing, and approval resumes it.',
  'hitl.edit': 'An approval may edit the arguments.',
  'hitl.reject': 'A rejection gives the model the reason; nothing runs.',
  'hitl.once': 'once_per_thread asks once; an invalid answer is asked for again.',
  'hitl.twice':
    'An interrupt can be answered once: a second answer is 409, or its run ends without a model call and says why; the thread does not change.',
  'hitl.nothing': 'Resuming a thread without an open interrupt is 409.',
  'hitl.breakpoints': 'interrupt_before and interrupt_after stop a run; null input resumes it.',
  'hitl.commands': 'command.update changes the state, command.goto chooses the node.',
  'travel.branch': 'A run from an older checkpoint branches; nothing is overwritten.',
  'travel.regenerate': 'A reply can be generated again from the checkpoint before it.',
  'travel.head': 'A checkpoint equal to the head has the same effect as none.',
  'models.routes':
    'GET /api/models lists the models, GET /api/models/{name} returns one; an unknown name is 404; neither contains a secret.',
  'events.catalogue':
    'A run records the events of the contract with their types, categories, content and metadata.',
  'events.truncation':
    'Trace content is cut at a number of bytes on a character boundary, and marked as cut.',
  'events.human': 'The human message is written once, before the run is running.',
  'runs.recovery.reader': 'A process that has unknowingly lost a run shows what another process wrote of it.',
  'runs.recovery.back':
    'A process that takes up a lost run again executes only its newest attempt, and completes it.',
  'runs.closed-calls': 'If a run ends between a reply and its tools, every call gets a result that says so.',
  'runs.rollback.branch':
    'Rolling back a run from an older checkpoint leaves the thread as it was before the run.',
  'runs.rollback.done':
    'A rollback restores the state from before the run even if its process died between the last step and the end.',
  'runs.rollback.unset': 'A rollback never removes a state that the run did not start from.',
  'sdk.readme': 'The example of the README runs as written.',
  'runs.branch.bounded':
    'However long a thread is, the transactions that branch, by a run or a state update, or roll back a run, read a bounded number of rows.',
} as const;
