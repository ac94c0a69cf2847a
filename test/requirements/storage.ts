// What is asked of the storage, by the ids that tests cite.
export const storageRequirements = {
  'owner.required': 'Calling storage without a user, and without the explicit empty user, is an error.',
  'owner.unscoped': 'The explicit empty user of migrations and the command line bypasses the filter.',
  'owner.shared': 'Rows with no owner are shared: read by everybody, written by nobody.',
  'owner.adopt': 'Ownerless threads become the administrator’s with their runs and events, idempotently.',
  'owner.threads.read': 'Threads of other users are invisible and untouchable.',
  'owner.runs': 'Runs of other users are invisible, and nobody starts a run on another user’s thread.',
  'owner.events': 'Run events of other users are invisible; an ownerless one belongs to its thread.',
  'owner.frames': 'The stream of another user’s run is invisible.',
  'owner.checkpoints': 'Checkpoints of other users are invisible and untouchable.',
  'storage.durable.write':
    'A write on SQLite is told of when its commit is on the disk; those that come while the disk is busy share the next flush.',
  'storage.durable.read': 'A read on SQLite shows nothing that a power cut could take back.',
  'storage.durable.ahead':
    'What the service only works with need not be on the disk; whoever is told of what comes of it waits until it is.',
  'storage.durable.refused':
    'When the disk refuses to keep what SQLite wrote, it is said once, nothing is tried again, and every call fails.',
  'storage.frozen': 'A process that stands still in a transaction on Postgres blocks others for at most 5 s.',
  'storage.users.email': 'An e-mail address has one account, upper and lower case being the same.',
  'storage.users.oauth': 'The pair (oauth_provider, oauth_id) is unique where present.',
  'storage.sessions': 'Sessions are found with their account in one look; their times never move back.',
  'storage.sessions.most':
    'A user has a limited number of sessions, and none that has expired; those never used make room first, and the audit log is told.',
  'storage.sessions.live': 'Of many sessions at once it is told which there are.',
  'storage.sessions.account':
    'Sessions end with another token version of their account, and with the account.',
  'storage.agents.versions':
    'Each change of an agent is a version; the newest of them are kept, and versions never change.',
  'storage.agents.names': 'An owner has one agent of a name, and so many agents at most.',
  'storage.agents.shared':
    'A shared agent is seen by everybody, changed by its owner alone, and hidden by an own one of its name.',
  'storage.agents.deleted':
    'A deleted agent keeps its versions for a while, frees its name, and goes with its owner.',
  'storage.skills.off': 'Each switch of a skill is kept by itself, for one owner and for everybody.',
  'storage.skills.claim':
    'A custom skill is claimed by one request at a time, until it is released or the time is over, and by none of a deleted account.',
  'storage.store.item': 'An item is kept by namespace and key, and replaced as a whole but for its creation.',
  'storage.store.limit': 'An owner has so many items and so many bytes of values, and no more.',
  'storage.store.expiry':
    'An item whose time is over is absent at once and its row goes later; a refreshed one has its whole time again.',
  'storage.store.order':
    'Items below a namespace are listed by name, or the last changed first; no other namespace begins alike.',
  'owner.sessions': 'Sessions of other users are invisible and untouchable.',
  'storage.users.first': 'Two processes that start at once create one first administrator.',
  'storage.users.version': 'Of two changes racing on one account the second fails.',
  'threads.create.idempotent': 'Creating an existing thread answers the existing record.',
  'threads.create.taken': 'A thread id that another user has is refused.',
  'threads.patch.merge': 'A patch merges the given metadata into the record.',
  'threads.search.metadata': 'Search matches every metadata key exactly, nested values included.',
  'threads.search.keys': 'Metadata keys and values are bound as parameters, whatever they hold.',
  'threads.search.page': 'Search is sorted and paged, with the thread id as the tie-break.',
  'threads.search.filter': 'Search filters by status and ids, and count counts the same.',
  'threads.delete': 'A deleted thread is gone with its runs; a second delete finds nothing.',
  'threads.marks': 'A mark of a user changes with their newest thread, and is found for many users at once.',
  'threads.removals':
    'A deletion leaves a note until rows and files are gone; one process at a time works on it, and the id stays taken.',
  'threads.delete.nothing-left':
    'Deleting a thread removes row, metadata, runs, events, traces, frames and checkpoints.',
  'threads.delete.pages':
    'A deleted thread is absent at once; its rows go in transactions of bounded size, whatever it held, and its copies keep theirs.',
  'threads.delete.resumed':
    'A deletion that ends after any of its pages is finished by the next look: no row is left, and the id is free.',
  'threads.delete.active':
    'A thread with an active run is not deleted, and a run that is made at the same time is not lost.',
  'storage.durable.postgres':
    'A Postgres server whose settings do not keep what it commits is named at the start, with what may be lost.',
  'runs.start.ahead':
    'A run is taken up while the disk works; whoever started it, and its model, hear of it when the disk has it.',
  'runs.admit.events': 'The question of an accepted run is recorded in the same transaction.',
  'runs.admit.reject': 'With strategy reject a thread with an active run is busy.',
  'runs.follow-up.automatic':
    'follow_up_to_run_id is the latest successful run of the thread when omitted, also in the human message.',
  'runs.follow-up.explicit': 'A follow_up_to_run_id given at creation is kept.',
  'runs.idempotency': 'The same Idempotency-Key and user within 24 h gives the same run.',
  'runs.idempotency.day': 'After 24 hours an Idempotency-Key stands for a new run.',
  'runs.idempotency.race': 'Of many requests with one Idempotency-Key at once one is admitted.',
  'owner.idempotency': 'Idempotency keys of other users are other keys.',
  'runs.displace':
    'With strategies interrupt and rollback waiting runs end and the running one is asked to, in the admission.',
  'runs.displace.race': 'A run that ends while another displaces it is either over or asked to end.',
  'runs.cancel.pending': 'A pending run can be cancelled and ends as interrupted.',
  'runs.cancel.requested': 'A request to end a running run is durable, and the first one stays.',
  'runs.cancel.race': 'A run that is cancelled while it is taken up is ended or taken up, never both.',
  'runs.delete': 'A deleted run is gone with its events and stream; its checkpoints stay.',
  'runs.delete.active': 'A run that has not ended is not deleted.',
  'events.content': 'An object is stored as serialized JSON and restored on read, flagged in the metadata.',
  'events.trace': 'Trace contents come back as they were written.',
  'events.trace.once': 'A long trace that recurs in a thread is stored once.',
  'events.paging': 'after_seq, before_seq and no cursor page through events in rising seq.',
  'events.seq': 'seq starts at 1, is unique and rises without holes inside a thread, whoever writes at once.',
  'frames.cursor': 'A reader goes on after any position of the stream.',
  'frames.back': 'The end of a stream is found without reading what comes before it.',
  'frames.bounded': 'One read of the stream is bounded in bytes.',
  'frames.retention.due':
    'Streams of runs that ended before the retention are found, oldest first, of all owners.',
  'frames.retention.replace': 'A pruned stream is one row in the place of all, and is not pruned again.',
  'storage.packed': 'Long texts come back as they were, also those that an earlier release stored.',
  'storage.packed.size': 'Long texts take half their length on disk, or less.',
  'frames.retention.space': 'Pruned streams give their space back.',
  'checkpoints.history': 'Checkpoints are listed newest first, all branches, in pages.',
  'checkpoints.lineage': 'A checkpoint folds from the deltas of its own branch.',
  'checkpoints.snapshot': 'A fold begins at the nearest snapshot.',
  'checkpoints.lineage.fast': 'Reading a lineage of thousands of deltas is one quick statement.',
  'checkpoints.append': 'A state update is refused while a run is active or the head has moved.',
  'copies.independent': 'A copied thread has the state of its source and goes its own way from there.',
  'copies.seen': 'A copy sees the checkpoints before its copy point, and nothing else of its source.',
  'copies.of-copies': 'Copies of copies see the whole line before them.',
  'copies.share': 'A copy copies no checkpoint.',
  'copies.delete': 'Deleting a thread never takes a checkpoint from a copy, in whichever order.',
  'copies.delete.race': 'Threads that share their past can be copied and deleted at once.',
  'copies.nothing-left': 'After the last of the copies is deleted no checkpoint is left.',
  'owner.copies': 'Threads of other users cannot be copied; a copy of a shared thread is the reader’s own.',
  'checkpoints.append.status': 'A state update may give its thread another status.',
  'checkpoints.append.branch': 'A state update may branch from any checkpoint of its thread.',
  'leases.turns': 'Users whose runs wait take turns, and none has more runs taken up than its share.',
  'leases.suspects': 'Runs that were tried often are taken one at a time; cancelled ones at once.',
  'leases.start-after': 'A run with after_seconds waits, and younger runs of its thread do not wait for it.',
  'leases.claim': 'A run is taken up under a new attempt with a lease.',
  'leases.claim.admission':
    'A run that may start at once is taken up in the transaction that admits it, by the rules of every claim.',
  'leases.queue':
    'When the first run of a thread ends or is handed back, the oldest one that is due is the first.',
  'leases.claim.cost': 'What a claim reads does not depend on how many runs wait, nor whose they are.',
  'leases.order': 'Runs of a thread execute one by one, oldest first.',
  'leases.exclusive': 'Two processes never get the same attempt of a run.',
  'leases.one-running': 'At most one run of a thread is running.',
  'leases.takeover':
    'A run whose lease ended is taken over with the next attempt, and the old one is fenced out.',
  'leases.cancel-requests': 'An owner learns which of its runs are to be cancelled, whoever was asked.',
  'leases.renew':
    'A worker prolongs the lease of all its runs in one statement and learns which it still has.',
  'leases.turn':
    'Whoever renews its lease hears whether runs belong to it, and whether there is anything to take up.',
  'leases.fence': 'A worker that was given up renews nothing, takes nothing up and is never let in again.',
  'leases.retire': 'What a worker that stops could not hand back need not be waited for.',
  'leases.release': 'A run that is handed over at shutdown does not use up an attempt.',
  'leases.release.first': 'Nothing begins on a thread between the steps of a run that was handed back.',
  'leases.release.owner':
    'A worker hands back only what is its own: not an attempt of another worker with the same number.',
  'leases.fence-others': 'A process that owns an embedded database may take over at once.',
  'commits.fence': 'A write under another attempt than the current one changes nothing.',
  'commits.once': 'A group commit whose outcome was unknown is not written twice.',
  'commits.history':
    'A worker that has acknowledged what the database lost writes nothing more: its runs are taken up anew.',
  'commits.history.fence':
    'A worker that has acknowledged what the database lost is fenced, and begins anew under another id.',
  'commits.history.renewal':
    'A worker learns with the renewal of its lease that the database has lost what it acknowledged.',
  'runs.log.takeover':
    'Whoever takes up runs of a process that is gone finds all that it had logged of them in their own rows, each event once.',
  'runs.log.sorted': 'Rows of the log go once what they hold is in the rows of its runs.',
  'runs.log.deleted': 'What a deleted run has logged is dropped.',
  'commits.fence.owner':
    'An attempt that was handed back writes nothing, though the next one has its number.',
  'storage.clock':
    'All processes go by the clock of the database, which they know without asking it each time.',
  'commits.blocked':
    'A commit waits for no thread that somebody holds: what is of it is left out, named, and committed again later.',
  'commits.fence.ended': 'A run that is not running takes no writes.',
  'commits.fence.deleted': 'A run of a deleted thread takes no writes.',
  'commits.atomic': 'A group commit writes all changes or none.',
  'commits.end': 'At completion totals are stored on the run and the title on the thread.',
  'commits.head': 'A rollback moves the head of a thread back, to no state at all if there was none.',
  'commits.busy': 'A thread stays busy while another of its runs is active.',
  'search.words': 'Search finds threads whose title or one message has all words, without case and accents.',
  'search.prefix': 'The last word of a search may go on; one with a space behind it may not.',
  'search.phrases': 'Quotes hold a phrase; words that are joined by signs are one.',
  'search.scripts': 'Scripts that write no spaces are found by their characters, a single one included.',
  'search.rank': 'Threads with the words in their title come first, then by their newest message, each once.',
  'search.pages': 'Search is paged without losing or repeating a thread.',
  'owner.search': 'Search finds nothing in threads of other users.',
  'search.shared': 'Ownerless threads are found by everybody until somebody adopts them.',
  'search.leaves': 'Deleted threads and runs, former titles, rolled-back and replaced runs are not found.',
  'search.replaced': 'A branch hides from the search what it leaves behind; going back finds it again.',
  'search.titles': 'A title is found from the moment it is set, whoever sets it.',
  'search.only-messages': 'Search finds what people and the agent said, no traces and no tool results.',
  'search.long': 'Messages of any length and of any characters are stored, and found by their beginning.',
  'search.merge':
    'The word index is merged beside the transactions of those who write, a bounded amount at a time.',
  'search.rebuild':
    'The index can be compared with the record and made again from it, a bounded amount at a time.',
  'storage.ready': 'Readiness learns whether the database can be written.',
  'storage.closed': 'After closing, every call is unavailable.',
  'storage.kill': 'A killed process loses nothing that was acknowledged.',
  'storage.busy': 'A database locked for a moment is waited for while reads go on.',
  'storage.locked': 'A database locked for long is unavailable.',
  'storage.full': 'A full disk is unavailable, writes nothing half, and the storage works again with space.',
  'storage.together': 'Of writes that come at the same moment one that fails takes no other with it.',
  'storage.wal.copied': 'The log of a SQLite file is copied beside the commits, not in them.',
  'storage.wal.bounded': 'The log of a SQLite file stays small under steady writing.',
  'storage.wal.closed': 'Closing leaves a SQLite file alone, with everything in it.',
  'storage.wal.refused': 'A log that cannot be copied for a while loses nothing and is copied later.',
  'storage.wal.thread-lost': 'Without the thread that copies the log SQLite copies it in commits.',
  'storage.migrate.once': 'Of two processes that start at once one migrates.',
  'storage.migrate.data': 'A database of an earlier release is brought up to date with everything in it.',
  'storage.migrate.newer': 'The database of a newer release is refused with a clear text.',
  'storage.one-running': 'The database refuses a second running run of a thread.',
  'storage.open.refused': 'A database that cannot be opened is unavailable with the reason.',
  'storage.processes': 'Processes on one Postgres database share the runs.',
  'storage.commit.lost-answer': 'A commit whose answer is lost is neither lost nor written twice.',
  'storage.prepared':
    'On Postgres, statements that recur are prepared; a change of the tables by another process is not noticed.',
  'storage.prepared.bounded': 'How many are prepared is bounded; those whose plan hangs on values are not.',
  'storage.migration-time':
    'On Postgres a migration has no limit of time, and waits at most 5 s for a table that is in use.',
  'storage.branch.statements':
    'The transaction that begins a branch writes as much for 800 messages that it leaves behind as for two; the rest comes before and after, a bounded amount at a time.',
  'storage.revisions.statements':
    'Changing, removing and bringing back 200 messages at once takes a bounded number of statements.',
  'storage.unreachable': 'A server that does not answer is unavailable.',
} as const;
