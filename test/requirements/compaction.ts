// Requirements of threads that are longer than the model's context window, by the ids that tests cite.
export const compactionRequirements = {
  'compaction.overflow':
    'A prompt that the provider refuses as too long is summarised and sent once more; the thread keeps every message.',
  'compaction.overflow.twice':
    'A prompt that is still too long ends the run as context_overflow with a sentence; nothing is lost.',
  'compaction.overflow.failed':
    'A prompt that is too long and cannot be summarised ends the run as context_overflow.',
  'compaction.overflow.results':
    'Tool results that are too long by themselves are replaced with a summary; the question stays.',
  'compaction.overflow.writer':
    'The model that writes the summary gets less text if the whole is too long for it, too.',
  'compaction.trigger':
    'A prompt that reaches the set share of context_window is summarised before the model call; the newest messages stay.',
  'compaction.again': 'A new summary is written from the previous one and the messages after it.',
  'compaction.instructions': 'The model sees all system messages of the thread, however old they are.',
  'compaction.failed': 'A failed summary does not fail a run that can continue without it.',
  'compaction.pairs':
    'A call is never separated from its results; the newest question stays; call ids are unique in the thread.',
  'compaction.options': 'agent.compaction disables summaries and names the model that writes them.',
  'compaction.subagents': 'The prompt of a sub-agent is summarised separately from that of the lead agent.',
  'compaction.reported': 'Summaries are recorded as middleware work with their tokens, and are not messages.',
  'compaction.progress': 'Clients receive a custom event before and after a summary is written.',
  'compaction.branch':
    'A summary belongs to its branch: going back to an earlier checkpoint removes it from the prompt.',
  'compaction.edited': 'A summary of messages that were changed or removed later is not used.',
  'compaction.cancel': 'Cancelling stops the writing of a summary within a second.',
} as const;
