// What memory promises, by the ids that tests cite.
export const memoryRequirements = {
  'storage.memory.change':
    'A memory is written only over the revision that was read; of two who change it at once, one hears that it is stale.',
  'storage.memory.account': 'Nothing is written for an account that was deleted.',
  'memory.document':
    'GET /api/memory answers version, last_updated, user, history and facts; without any, the same with nothing in it.',
  'memory.facts':
    'A fact is added, changed and deleted by itself; each answers the whole memory, and says where each fact comes from.',
  'memory.own':
    'A person sees and changes only the own facts, for each agent apart; a fact of somebody else is an absent one.',
  'memory.twice': 'A fact that says what another one says, but for case and spaces, is a 409.',
  'memory.limit': 'There are memory.max_facts facts at most, of 500 characters and one line each.',
  'memory.bad': 'What is no fact is a 422 that says what to do.',
  'memory.clear': 'DELETE /api/memory leaves nothing, and cannot be undone.',
  'memory.undo':
    'The last change can be taken back, once more and it stands again; a change that came meanwhile is never undone.',
  'memory.transfer':
    'An import of an export gives the same facts with their ids, times and sources, in the place of those that were there.',
  'memory.switch': 'A person switches memory off and on; what is remembered stays.',
  'memory.prompt':
    'The next run reads the facts behind the newest words of the person, in its prompt alone; without facts its prompt says nothing of memory.',
  'memory.changed': 'A run reads the facts as they are when it is set up.',
  'memory.budget':
    'A prompt says as many facts as memory.max_prompt_tokens lets it, first those that have to do with the question.',
  'memory.contained': 'A fact cannot leave its place in the prompt, and nobody else can forge that place.',
  'memory.off':
    'A run reads and learns nothing where the service, the person, the thread (metadata.memory_enabled) or the run (configurable.memory_enabled) says so.',
  'memory.learned':
    'With memory.extraction.enabled, what the person says becomes facts some time after the run, with thread and message.',
  'memory.counted':
    'The model call is in the record and the totals of the last run, under middleware:memory.',
  'memory.contradicted':
    'A fact that the person contradicts is replaced, one that is to be forgotten goes, and both can be undone.',
  'memory.person-only':
    'A fact is kept only with a quote out of the own words of the person; what is pasted, quoted, secret, or says addresses that they do not name, never is.',
  'memory.agents': 'Each agent reads and learns in a memory of its own.',
  'memory.provenance':
    'A fact that was learned names its thread and message, and the change that brought it is taken back as a whole.',
  'memory.takeover':
    'Of two processes, one reads what is due; what it breaks off when it stops, the other one reads at once.',
  'memory.later':
    'Words that follow each other are read together, memory.extraction.delay_seconds after the last run, by one process.',
  'memory.failing': 'A model that fails or answers nothing usable changes nothing.',
  'memory.killed': 'What was to be read when a process ended is read by the next one, and once.',
  'memory.deleted': 'Nothing of it is left when the account is deleted.',
} as const;
