// Requirements of memory, by the ids that tests cite.
export const memoryRequirements = {
  'storage.memory.change':
    'A memory is written only over the revision that was read; of two concurrent changes one is refused as stale.',
  'storage.memory.account': 'Nothing is written for a deleted account.',
  'memory.document':
    'GET /api/memory returns version, last_updated, user, history and facts; an empty memory has the same fields.',
  'memory.facts':
    'Facts are added, changed and deleted one by one; each change returns the whole memory, with the source of each fact.',
  'memory.own':
    'A person sees and changes only their own facts, separately for each agent; a fact of another user is treated as absent.',
  'memory.twice': 'A fact equal to another one except for case and spaces is a 409.',
  'memory.limit':
    'A memory has at most memory.max_facts facts, each with one line of at most 500 characters.',
  'memory.bad': 'An invalid fact is a 422 that says how to correct it.',
  'memory.clear': 'DELETE /api/memory leaves nothing, and cannot be undone.',
  'memory.undo': 'The last change can be undone and redone; a change made in between is never undone.',
  'memory.transfer':
    'Importing an export restores the same facts with their ids, times and sources, and replaces the existing ones.',
  'memory.switch': 'A person can switch memory off and on; stored facts stay.',
  'memory.prompt':
    "The next run has the facts after the person's newest words, in its prompt only; without facts the prompt does not mention memory.",
  'memory.changed': 'A run reads the facts as they are when it is set up.',
  'memory.budget':
    'A prompt contains as many facts as memory.max_prompt_tokens allows, those related to the question first.',
  'memory.contained':
    'A fact cannot leave its section of the prompt, and no other text can imitate that section.',
  'memory.off':
    'A run neither reads nor learns facts if the service, the person, the thread (metadata.memory_enabled) or the run (configurable.memory_enabled) disables memory.',
  'memory.learned':
    'With memory.extraction.enabled, statements of the person become facts some time after the run, with thread and message.',
  'memory.counted':
    'The model call is in the record and the totals of the last run, under middleware:memory.',
  'memory.contradicted':
    'A fact that the person contradicts is replaced, one that they want forgotten is deleted, and both can be undone.',
  'memory.person-only':
    "A fact is stored only with a quote from the person's own words; pasted, quoted or secret text, and addresses that they did not write themselves, are never stored.",
  'memory.agents': 'Each agent reads and learns in a memory of its own.',
  'memory.provenance':
    'A learned fact names its thread and message, and the change that added it is undone as a whole.',
  'memory.takeover':
    'With two processes, one does the extraction; when it stops, the other one does the unfinished part immediately.',
  'memory.later':
    'Consecutive messages are read together, memory.extraction.delay_seconds after the last run, by one process.',
  'memory.failing': 'A model that fails or returns nothing usable changes nothing.',
  'memory.killed': 'After a process is killed, the next one reads the pending messages, once.',
  'memory.deleted': 'Deleting the account removes all of it.',
} as const;
