// Ways in which what is stored beside the record can come to say something else, as SQL.

export interface Breakage {
  readonly what: string;
  /** Run one after the other; `$thread`, `$run` and `$other` are ids. */
  readonly statements: readonly string[];
  /** `projection: what` of every difference that this makes, in their order. */
  readonly found: readonly string[];
}

const totals = (column: string) => ({
  what: `the ${column} of a run`,
  statements: [`update runs set ${column} = ${column} + 7 where run_id = '$run'`],
  found: [`run totals: ${column}`],
});

export const BREAKAGES: readonly Breakage[] = [
  {
    what: 'a status that no run left',
    statements: [`update threads set status = 'error' where thread_id = '$thread'`],
    found: ['thread status: status'],
  },
  {
    what: 'a thread that is busy with nothing',
    statements: [`update threads set status = 'busy' where thread_id = '$thread'`],
    found: ['thread status: status'],
  },
  {
    what: 'a thread that waits, as idle',
    statements: [`update threads set status = 'idle' where thread_id = '$waiting'`],
    found: ['thread status: status'],
  },
  {
    what: 'another title, in two lines',
    statements: [`update threads set display_name = 'another\ntitle' where thread_id = '$thread'`],
    found: ['title: display_name'],
  },
  {
    what: 'no title',
    statements: [`update threads set display_name = null where thread_id = '$thread'`],
    found: ['title: display_name'],
  },
  totals('total_input_tokens'),
  totals('total_output_tokens'),
  totals('total_tokens'),
  totals('llm_call_count'),
  totals('lead_agent_tokens'),
  totals('subagent_tokens'),
  totals('middleware_tokens'),
  totals('message_count'),
  {
    what: 'a run that took nothing',
    statements: [
      `update runs set llm_call_count = 0, total_tokens = 0, message_count = 0, token_usage_by_model = '{}'
        where run_id = '$run'`,
    ],
    found: [
      'run totals: total_tokens',
      'run totals: llm_call_count',
      'run totals: message_count',
      'run totals: token_usage_by_model',
    ],
  },
  {
    what: 'tokens of another model',
    statements: [
      `update runs set token_usage_by_model = replace(token_usage_by_model, 'scripted', 'other')
        where run_id = '$run'`,
    ],
    found: ['run totals: token_usage_by_model'],
  },
  {
    what: 'messages that a branch left behind, in the conversation',
    statements: [`update run_events set is_replaced = 0 where thread_id = '$branched'`],
    found: Array<string>(4).fill('replaced messages: message'),
  },
  {
    what: 'a message of the conversation, as left behind',
    statements: [
      `update run_events set is_replaced = 1 where run_id = '$run' and event_type = 'human_message'`,
    ],
    found: ['replaced messages: message'],
  },
  {
    what: 'an edited message, as it was before',
    statements: [`update run_events set revised_by = null where thread_id = '$revised'`],
    found: ['revised messages: message', 'search index: message'],
  },
  {
    what: 'a message that was removed, in the conversation',
    statements: [`update run_events set is_replaced = 0 where thread_id = '$revised' and is_replaced = 2`],
    found: ['revised messages: message', 'search index: message'],
  },
  {
    what: 'messages that were changed without a word in the record',
    statements: [
      `update run_events set is_replaced = 0, revised_by = null where thread_id = '$revised' and revises is null`,
      `delete from run_events where thread_id = '$revised' and revises is not null`,
    ],
    found: [
      'revised messages: message',
      'revised messages: message',
      'search index: message',
      'search index: message',
    ],
  },
  {
    what: 'a counter that gives numbers twice',
    statements: [`update threads set last_seq = 1 where thread_id = '$thread'`],
    found: ['seq counter: last_seq'],
  },
  {
    what: 'a head that does not exist',
    statements: [`update threads set head_checkpoint_id = 'nothing' where thread_id = '$thread'`],
    found: ['head checkpoint: head_checkpoint_id'],
  },
  {
    what: 'a head that was passed long ago',
    statements: [
      `update threads set head_checkpoint_id = (select checkpoint_id from checkpoints
        where thread_id = '$thread' and namespace = '' and step = 0) where thread_id = '$thread'`,
    ],
    found: ['head checkpoint: head_checkpoint_id'],
  },
  {
    what: 'no head',
    statements: [`update threads set head_checkpoint_id = null where thread_id in ('$thread', '$copy')`],
    found: ['head checkpoint: head_checkpoint_id', 'head checkpoint: head_checkpoint_id'],
  },
  {
    what: 'metadata that cannot be found',
    statements: [`delete from thread_metadata where thread_id = '$thread'`],
    found: ['metadata index: entries'],
  },
  {
    what: 'metadata that are found under what they are not',
    statements: [
      `update thread_metadata set entry_hash = 'other' where thread_id = '$thread'
        and entry_hash = (select min(entry_hash) from thread_metadata where thread_id = '$thread')`,
    ],
    found: ['metadata index: entries'],
  },
  {
    what: 'metadata that are found by somebody else',
    statements: [`update thread_metadata set user_id = 'somebody else' where thread_id = '$thread'`],
    found: ['metadata index: entries'],
  },
  {
    what: 'words that cannot be found',
    statements: [`delete from search_docs where thread_id = '$thread'`],
    found: [
      'search index: title',
      'search index: message',
      'search index: message',
      'search index: message',
      'search index: message',
    ],
  },
  {
    what: 'events of a run that is gone',
    statements: [
      `insert into run_events (thread_id, seq, run_id, event_type, category, created_at, content_format, metadata, content)
        select thread_id, last_seq + 1, 'gone', 'run_end', 'lifecycle', 1, 'text', '{}', '' from threads
        where thread_id = '$thread'`,
      `update threads set last_seq = last_seq + 1 where thread_id = '$thread'`,
    ],
    found: ['leftovers: run_events of no run'],
  },
  {
    what: 'a trace that nothing refers to',
    statements: [
      `insert into trace_contents (thread_id, content_key, content) values ('$thread', 'key', 'content')`,
    ],
    found: ['leftovers: trace_contents of no event'],
  },
  {
    what: 'checkpoints of a thread that is gone',
    statements: [
      `insert into checkpoints (checkpoint_id, thread_id, step, source, fold_bytes, created_at, next, tasks, metadata, delta)
        values ('lost', 'gone', 1, 'loop', 1, 1, '[]', '[]', '{}', '{}')`,
    ],
    found: ['leftovers: checkpoints of no thread'],
  },
  {
    what: 'a day on which less was spent',
    statements: ['update usage_days set calls = calls - 1'],
    found: ['usage by day: day'],
  },
  {
    what: 'a day on which nothing was spent',
    statements: ['delete from usage_days'],
    found: ['usage by day: day'],
  },
  {
    what: 'a note to remove the files of a living thread',
    statements: [`insert into thread_removals (thread_id, taken_until) values ('$thread', 1)`],
    found: ['removal notes: thread_removals of a thread that exists'],
  },
];
