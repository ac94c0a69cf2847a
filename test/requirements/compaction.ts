// What becomes of threads that are longer than the model can read, by the ids that tests cite.
export const compactionRequirements = {
  'compaction.overflow':
    'A prompt that the provider finds too long is summarised and sent once more; the thread keeps every message.',
  'compaction.overflow.twice':
    'A prompt that is too long again ends the run as context_overflow with a sentence; nothing is lost.',
  'compaction.overflow.failed':
    'A prompt that is too long and cannot be summarised ends the run as context_overflow.',
  'compaction.overflow.results': 'Results that alone are too long give way to a summary; the question stays.',
  'compaction.overflow.writer':
    'Whoever writes the summary is given less when all of it is too long for it, too.',
  'compaction.trigger':
    'A prompt that fills so much of context_window is summarised before the model is asked; the newest messages stay.',
  'compaction.again': 'A summary is written from the one before and what came after it.',
  'compaction.instructions': 'System messages of the thread are shown to the model, however old they are.',
  'compaction.failed': 'A model that cannot write a summary fails no run that would otherwise go on.',
  'compaction.pairs':
    'A call is never parted from its results; the newest question stays; ids of calls differ in the whole thread.',
  'compaction.options': 'agent.compaction switches it off and names the model that writes summaries.',
  'compaction.subagents':
    'The prompt of a sub-agent is summarised as well, apart from that of the lead agent.',
  'compaction.reported':
    "Summaries are recorded as work of the middleware, their tokens are the middleware's, and they are no messages.",
  'compaction.progress': 'Clients are told by a custom event before a summary is written, and after it.',
  'compaction.branch': 'A summary belongs to its branch: going back goes back behind it.',
  'compaction.edited': 'A summary of messages that were changed or removed since is not used.',
  'compaction.cancel': 'Cancelling ends the writing of a summary within a second.',
} as const;
