// Requirements of events, messages and feedback (docs/contract/record.md), by the ids that tests cite.
export const recordRequirements = {
  'events.each':
    'Every event of the catalogue is recorded with its category, content and metadata, and there are no other events.',
  'events.docs': 'The page of run events is generated from the catalogue.',
  'events.command': 'A tool that changes the state is recorded as its inner tool message.',
  'events.failed-tool': 'A tool that fails is recorded as a tool_result with status error.',
  'events.follow-up':
    'The question may carry follow_up_to_run_id: the given one, or the latest successful run.',
  'events.middleware':
    'Model calls of middleware are traced with their caller and are not messages of the assistant.',
  'events.flushed': 'When a run has ended, even by cancellation, all of its events are in the record.',
  'events.unknown': 'A tool whose outcome is unknown is recorded as tool_outcome_unknown.',
  'events.filter': 'Events can be filtered by run and by type.',
  'events.list':
    'Events of a run and of a thread are a bare list in rising seq, filtered by type, up to 2,000 after or before a position.',
  'messages.list':
    'Messages of a thread are a bare list of events in rising seq, the newest ones by default.',
  'messages.page':
    'messages/page is {data, has_more, next_before_seq}; has_more counts in the paging direction.',
  'messages.run':
    'Messages of a run are {data, has_more}, with the thread in the path or found from the run.',
  'messages.owner': 'Messages and events of another user are treated as absent, on every route.',
  'messages.limits': 'Limits out of range and two cursors at once are 422.',
  'messages.paging': 'Cursors page through the messages that remain.',
  'messages.rolled-back':
    'Messages of rolled-back and replaced runs are in no message listing; their events can be read.',
  'messages.replaced':
    'Messages that a branch from an older checkpoint replaces are in no message listing; their events can be read.',
  'messages.follow':
    'After any branches, edits, removals and process crashes, listings and search match the state.',
  'messages.edited':
    "Messages edited by a state update, a command or an input are listed and found with their text in the thread's lineage.",
  'messages.removed': 'Removed messages are neither listed nor found, unless the thread gets them again.',
  'messages.repeated': 'A message that the input of a run repeats is listed once.',
  'events.revised': 'The record keeps the original messages, and each edit and removal with its checkpoint.',
  'messages.last': 'The last reply of a run is known even if a page ends before it.',
  'feedback.row': 'A row of feedback keeps every field; a replacement keeps the id.',
  'feedback.once': 'There is one row per thread, run and user, even with concurrent writes.',
  'feedback.create': 'POST creates; it is 409 if the user has already rated the run.',
  'feedback.put': 'PUT creates or replaces.',
  'feedback.stats': 'Stats are {run_id, count, sum, positive, negative}.',
  'feedback.delete': 'Feedback is deleted by run or by id, which must belong to the thread and run.',
  'feedback.invalid': 'A rating other than 1 or -1 and a comment beyond 4,000 characters are 422.',
  'feedback.messages': 'Message listings carry feedback on the last ai_message of each run.',
  'feedback.run': 'Feedback requires an existing run on that thread, which must not be shared.',
  'feedback.unknown': 'Feedback of an unknown run is 404.',
  'feedback.shared': 'Feedback routes refuse threads without an owner with 404.',
  'feedback.gone': 'Feedback is deleted with its run and with its thread.',
  'feedback.unavailable': 'Feedback is 503 if persistence is unavailable, and only then.',
  'owner.feedback': 'Feedback of other users is treated as absent, and their runs cannot be rated.',
} as const;
