// Requirements of the storage, by the ids that tests cite.
export const storageRequirements = {
  'owner.required': 'Using the storage without a user, and without the explicit empty user, is an error.',
  'owner.unscoped': 'The explicit empty user of migrations and the command line bypasses the filter.',
  'owner.shared': 'Ownerless rows are shared: everybody can read them, nobody can write them.',
  'owner.adopt':
    'Ownerless threads become the administrator’s, with their runs and events; repeating this changes nothing.',
  'owner.threads.read': 'Threads of other users cannot be seen or changed.',
  'owner.runs': 'Runs of other users are invisible, and nobody can start a run on another user’s thread.',
  'owner.events': 'Run events of other users are invisible; an ownerless one belongs to its thread.',
  'owner.frames': 'The stream of another user’s run is invisible.',
  'owner.checkpoints': 'Checkpoints of other users cannot be seen or changed.',
  'storage.durable.write':
    'A write on SQLite is reported when its commit is on disk; writes that arrive while the disk is busy share the next flush.',
  'storage.durable.read': 'A read on SQLite returns nothing that a power cut could undo.',
  'storage.durable.ahead':
    'Data that only the service works with need not be on disk; before its results are reported, it is.',
  'storage.durable.refused':
    'When the disk fails to store what SQLite wrote, this is reported once, nothing is retried, and every call fails.',
  'storage.frozen': 'A process that pauses inside a transaction on PostgreSQL blocks others for at most 5 s.',
  'storage.users.email': 'An e-mail address has one account, regardless of case.',
  'storage.users.oauth': 'The pair (oauth_provider, oauth_id) is unique where present.',
  'storage.sessions': 'One query finds sessions with their accounts; their times never move back.',
  'storage.sessions.most':
    'The sessions of a user are limited; expired ones are removed, then those never used, and the audit log records it.',
  'storage.sessions.live': 'A batch check of many sessions returns which exist.',
  'storage.sessions.account': 'Sessions end with a new token version of their account, and with the account.',
  'storage.agents.versions':
    'Each change of an agent is a version; the newest ones are kept, and versions never change.',
  'storage.agents.names': 'An owner has one agent of each name, and a limited number of agents.',
  'storage.agents.shared':
    "A shared agent is visible to everybody, can be changed only by its owner, and is hidden by one's own agent of the same name.",
  'storage.agents.deleted':
    'A deleted agent keeps its versions for a while, frees its name, and is removed with its owner.',
  'storage.skills.off': 'Each switch of a skill is stored separately, for one owner and for everybody.',
  'storage.skills.claim':
    'One request at a time can claim a custom skill, until it is released or expires; none can for a deleted account.',
  'storage.store.item':
    'An item is stored by namespace and key; replacing it changes everything except its creation time.',
  'storage.store.limit': 'The number of items and the bytes of values of an owner are limited.',
  'storage.store.expiry':
    'An expired item is absent immediately and its row is removed later; a refreshed one has its whole time again.',
  'storage.store.order':
    'Items below a namespace are listed by name or by last change; namespaces that only share a prefix are not included.',
  'owner.sessions': 'Sessions of other users cannot be seen or changed.',
  'storage.users.first': 'Two processes that start at the same time create one first administrator.',
  'storage.users.version': 'Of two concurrent changes to one account the second fails.',
  'threads.create.idempotent': 'Creating an existing thread returns the existing record.',
  'threads.create.taken': 'A thread id that another user has is refused.',
  'threads.patch.merge': 'A patch merges the given metadata into the record.',
  'threads.search.metadata': 'Search matches every metadata key exactly, nested values included.',
  'threads.search.keys': 'Metadata keys and values are bound as parameters, whatever they contain.',
  'threads.search.page': 'Search is sorted and paged, with the thread id as the tie-break.',
  'threads.search.filter': 'Search filters by status and ids, and count counts the same.',
  'threads.delete': 'A deleted thread is gone with its runs; a second delete finds nothing.',
  'threads.marks':
    'The mark of a user changes with their newest thread; the marks of many users are read at once.',
  'threads.removals':
    'A deletion leaves a note until rows and files are gone; one process at a time works on it, and the id stays taken.',
  'threads.delete.nothing-left':
    'Deleting a thread removes its row, metadata, runs, events, traces, frames and checkpoints.',
  'threads.delete.pages':
    'A deleted thread is absent immediately; its rows are removed in transactions of bounded size, whatever it contained, and its copies keep theirs.',
  'threads.delete.resumed':
    'A deletion interrupted after any page is finished by the next pass: no row is left, and the id is free.',
  'threads.delete.active':
    'A thread with an active run is not deleted, and a run that is created at the same time is not lost.',
  'storage.durable.postgres':
    'A PostgreSQL server whose settings do not keep what it commits is reported at the start, with what may be lost.',
  'runs.start.ahead':
    'A run is taken up while the disk writes; its creator and its model are contacted only after the disk has it.',
  'runs.admit.events': 'The question of an accepted run is recorded in the same transaction.',
  'runs.admit.reject': 'With strategy reject a thread with an active run is busy.',
  'runs.follow-up.automatic':
    'follow_up_to_run_id is the latest successful run of the thread when omitted, also in the human message.',
  'runs.follow-up.explicit': 'A follow_up_to_run_id given at creation is kept.',
  'runs.idempotency': 'The same Idempotency-Key and user within 24 h returns the same run.',
  'runs.idempotency.day': 'After 24 hours an Idempotency-Key creates a new run.',
  'runs.idempotency.race': 'Of many concurrent requests with one Idempotency-Key one is admitted.',
  'owner.idempotency': 'The same Idempotency-Key of another user is a different key.',
  'runs.displace':
    'With the strategies interrupt and rollback, the admission ends waiting runs and requests the end of the running one.',
  'runs.displace.race':
    'A run that completes while another displaces it has either ended or is asked to end.',
  'runs.cancel.pending': 'A pending run can be cancelled and ends as interrupted.',
  'runs.cancel.requested': 'A request to end a running run is durable, and the first one stays.',
  'runs.cancel.race': 'A run that is cancelled while it is taken up is either ended or taken up, never both.',
  'runs.delete': 'A deleted run is gone with its events and stream; its checkpoints stay.',
  'runs.delete.active': 'A run that has not ended is not deleted.',
  'events.content': 'An object is stored as serialized JSON and restored on read, flagged in the metadata.',
  'events.trace': 'Trace contents are returned as they were written.',
  'events.trace.once': 'A long trace that recurs in a thread is stored once.',
  'events.paging': 'after_seq, before_seq and no cursor page through events in rising seq.',
  'events.seq':
    'seq starts at 1, is unique and increases without gaps inside a thread, even with concurrent writers.',
  'frames.cursor': 'A reader can continue after any position of the stream.',
  'frames.back': 'The end of a stream is found without reading what precedes it.',
  'frames.bounded': 'One read of the stream is bounded in bytes.',
  'frames.retention.due':
    'Streams of runs that ended before the retention are found, oldest first, for all owners.',
  'frames.retention.replace': 'A pruned stream is one row instead of all, and is not pruned again.',
  'storage.packed':
    'Long texts are returned as they were written, including those that an earlier release stored.',
  'storage.packed.size': 'Long texts take half their length on disk, or less.',
  'frames.retention.space': 'Pruned streams free their space.',
  'checkpoints.history': 'Checkpoints are listed newest first, from all branches, in pages.',
  'checkpoints.lineage': 'A checkpoint is folded from the deltas of its own branch.',
  'checkpoints.snapshot': 'A fold starts at the nearest snapshot.',
  'checkpoints.lineage.fast': 'Reading a lineage of thousands of deltas is one quick statement.',
  'checkpoints.append': 'A state update is refused while a run is active or the head has moved.',
  'copies.independent': 'A copied thread has the state of its source and is independent from then on.',
  'copies.seen': 'A copy contains the checkpoints before its copy point, and nothing else of its source.',
  'copies.of-copies': 'Copies of copies contain the whole lineage before them.',
  'copies.share': 'Copying a thread duplicates no checkpoint.',
  'copies.delete': 'Deleting a thread never removes a checkpoint from a copy, in any order.',
  'copies.delete.race': 'Threads that share their past can be copied and deleted concurrently.',
  'copies.nothing-left': 'After the last of the copies is deleted, no checkpoint is left.',
  'owner.copies': 'Threads of other users cannot be copied; a copy of a shared thread belongs to the reader.',
  'checkpoints.append.status': 'A state update may set a new status of its thread.',
  'checkpoints.append.branch': 'A state update may branch from any checkpoint of its thread.',
  'leases.turns': 'Users with waiting runs take turns, and none has more running runs than its share.',
  'leases.suspects': 'Runs with many attempts are taken up one at a time; cancelled ones immediately.',
  'leases.start-after': 'A run with after_seconds waits, and later runs of its thread do not wait for it.',
  'leases.claim': 'A run is taken up as a new attempt with a lease.',
  'leases.claim.admission':
    'A run that may start immediately is taken up in the transaction that admits it, by the same rules as any claim.',
  'leases.queue':
    'When the first run of a thread ends or is handed back, the oldest due run becomes the first.',
  'leases.claim.cost':
    'What a claim reads depends neither on the number of waiting runs nor on their owners.',
  'leases.order': 'Runs of a thread execute one by one, oldest first.',
  'leases.exclusive': 'Two processes never get the same attempt of a run.',
  'leases.one-running': 'At most one run of a thread is running.',
  'leases.takeover':
    'A run whose lease expired is taken over with the next attempt, and the old one is fenced.',
  'leases.cancel-requests':
    'A worker learns which of its runs are to be cancelled, whichever process received the request.',
  'leases.renew': 'A worker renews the lease of all its runs in one statement and learns which it still has.',
  'leases.turn':
    'A worker that renews its lease learns whether it has runs, and whether there is anything to take up.',
  'leases.fence': 'A fenced worker cannot renew or take up anything and is never readmitted.',
  'leases.retire': 'Other workers do not wait for the runs that a stopping worker could not hand back.',
  'leases.release': 'A run that is handed over at shutdown does not use up an attempt.',
  'leases.release.first': 'No other run starts on a thread between the steps of a run that was handed back.',
  'leases.release.owner':
    "A worker hands back only its own attempts, not another worker's with the same number.",
  'leases.fence-others': 'The process that owns an embedded database may take over immediately.',
  'commits.fence': 'A write under any other than the current attempt changes nothing.',
  'commits.once': 'A group commit with unknown outcome is not written twice.',
  'commits.history':
    'A worker that has acknowledged what the database lost writes nothing more: its runs are taken up again.',
  'commits.history.fence':
    'A worker that has acknowledged what the database lost is fenced, and starts again under a new id.',
  'commits.history.renewal':
    'When a worker renews its lease, it learns that the database has lost what it acknowledged.',
  'runs.log.takeover':
    'A worker that takes over runs of a dead process finds everything that process had logged about them in their own rows, each event once.',
  'runs.log.sorted': 'Rows of the log are removed once their contents are in the rows of the runs.',
  'runs.log.deleted': 'The log entries of a deleted run are dropped.',
  'commits.fence.owner':
    'An attempt that was handed back writes nothing, even if the next one has its number.',
  'storage.clock': 'All processes use the clock of the database, without querying it each time.',
  'commits.blocked':
    'A commit does not wait for a locked thread: its part is omitted, named, and committed again later.',
  'commits.fence.ended': 'A run that is not running accepts no writes.',
  'commits.fence.deleted': 'A run of a deleted thread accepts no writes.',
  'commits.atomic': 'A group commit writes all changes or none.',
  'commits.end': 'When a run ends, its totals are stored on the run and the title on the thread.',
  'commits.head': 'A rollback moves the head of a thread back, to no state if there was none.',
  'commits.busy': 'A thread stays busy while another of its runs is active.',
  'search.words': 'Search finds threads whose title or one message has all words, ignoring case and accents.',
  'search.prefix': 'The last word of a search matches as a prefix, unless a space follows it.',
  'search.phrases': 'Quotes make a phrase; words that are joined by signs are one word.',
  'search.scripts': 'Text in scripts without spaces is found by its characters, even by a single one.',
  'search.rank':
    'Threads with the words in their title come first, then the others by their newest message, each once.',
  'search.pages': 'Search is paged without skipping or repeating a thread.',
  'owner.search': 'Search finds nothing in threads of other users.',
  'search.shared': 'Everybody finds ownerless threads until they are adopted.',
  'search.leaves': 'Deleted threads and runs, former titles, rolled-back and replaced runs are not found.',
  'search.replaced': 'A branch hides from search what it replaces; going back makes it findable again.',
  'search.titles': 'A title can be found as soon as it is set, whoever sets it.',
  'search.only-messages':
    'Search covers messages of people and the agent, but no traces and no tool results.',
  'search.long': 'Messages of any length and of any characters are stored, and found by their beginning.',
  'search.merge': 'The word index is merged outside the transactions of writers, a bounded amount at a time.',
  'search.rebuild':
    'The index can be compared with the record and rebuilt from it, a bounded amount at a time.',
  'storage.ready': 'The readiness check detects whether the database can be written.',
  'storage.closed': 'After closing, every call fails as unavailable.',
  'storage.kill': 'A killed process loses nothing that was acknowledged.',
  'storage.busy': 'Writes wait for a briefly locked database while reads continue.',
  'storage.locked': 'A database that stays locked is reported as unavailable.',
  'storage.full':
    'With a full disk the storage is unavailable and writes nothing partially; it works again when there is space.',
  'storage.together': 'Of concurrent writes, one that fails does not affect the others.',
  'storage.wal.copied': 'The WAL of a SQLite file is checkpointed beside the commits, not in them.',
  'storage.wal.bounded': 'The WAL of a SQLite file stays small under steady writing.',
  'storage.wal.closed': 'Closing leaves only the SQLite file, with everything in it.',
  'storage.wal.refused':
    'If the WAL cannot be checkpointed for a while, nothing is lost and it is checkpointed later.',
  'storage.wal.thread-lost': 'Without the thread that checkpoints the WAL, SQLite does it in commits.',
  'storage.migrate.once': 'Of two processes that start at the same time one migrates.',
  'storage.migrate.data': 'A database of an earlier release is migrated with all its data.',
  'storage.migrate.newer': 'The database of a newer release is refused with a clear text.',
  'storage.one-running': 'The database refuses a second running run of a thread.',
  'storage.open.refused': 'A database that cannot be opened is reported as unavailable, with the reason.',
  'storage.processes': 'Processes on one PostgreSQL database share the runs.',
  'storage.commit.lost-answer': 'A commit whose response is lost is neither lost nor written twice.',
  'storage.prepared':
    'On PostgreSQL, recurring statements are prepared; a change of the tables by another process causes no failure.',
  'storage.prepared.bounded':
    'The number of prepared statements is bounded; statements whose plan depends on values are not prepared.',
  'storage.migration-time':
    'On PostgreSQL a migration has no time limit, and waits at most 5 s for a table that is in use.',
  'storage.branch.statements':
    'The transaction that starts a branch writes as much when it replaces 800 messages as for two; the rest is written before and after, a bounded amount at a time.',
  'storage.revisions.statements':
    'Changing, removing and restoring 200 messages at once takes a bounded number of statements.',
  'storage.unreachable': 'A server that does not respond is reported as unavailable.',
} as const;
