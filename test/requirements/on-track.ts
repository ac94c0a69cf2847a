// Requirements of what keeps a run on track, by the ids that tests cite.
export const loopRequirements = {
  'loops.warn':
    'A model that makes the same call with the same arguments three times is warned once about that loop; the record contains the warning.',
  'loops.data': 'The warning appears only in prompts, between marks of the service, and keeps its place.',
  'loops.stop':
    'The sixth such call is not made; the run ends as loop_detected with a sentence, and the thread continues with the next message.',
  'loops.same': 'Calls are the same whatever the order of their arguments and whatever their description.',
  'loops.waiting': 'While the results of a repeated call change, four calls count as one.',
  'loops.rounds': 'Repeated rounds of two or three calls count like one repeated call.',
  'loops.subagent': 'A sub-agent in a loop fails only its own task.',
  'loops.limits': 'agent.loops sets or disables both limits.',
  'loops.kill':
    'A kill does not reset the count: the warning is not repeated, and the run ends at the same point.',
} as const;

/** Replies that are empty, refused, cut off or malformed. */
export const answerRequirements = {
  'answers.empty':
    'After an empty reply the model is called once more, and both calls are counted; a second empty reply ends the run, because a model may have nothing to add.',
  'answers.refused':
    'A reply that the provider withholds ends the run as model_error with a sentence; its text so far stays, and its calls are not made.',
  'answers.cut':
    'A reply that reaches its length limit is kept with finish_reason length; if it ends inside a call, the model is called once more, then the run fails with advice.',
  'answers.malformed': 'After a reply with malformed tool calls the model is called once more.',
} as const;

/** Long tasks in which things go wrong. */
export const longTaskRequirements = {
  'tasks.tools':
    'Tools that fail, refuse their arguments or loop do not keep a run from its expected end; every prompt is complete and within the window.',
  'tasks.prompts':
    'A task of any length can be completed in a window of 32,000 tokens, despite huge outputs, many steps, refused prompts and failing summaries.',
  'tasks.provider':
    'A provider that fails, disconnects or returns nonsense during a task loses no step and repeats none.',
  'tasks.minds': 'After corrections, interruptions, plans and contradicting sources, the newest words count.',
  'tasks.room':
    'The results of the calls of one reply share agent.tool_calls.max_output_characters, and at most a quarter of the window; a cut result says where the rest is.',
} as const;

/** Fallback models. */
export const fallbackRequirements = {
  'fallbacks.used':
    'If a model fails before its first word, after its retries, its fallbacks are called in order; the usage and the record of the run name the model that replied.',
  'fallbacks.failed': 'If all of them fail, the run fails with a sentence that names them.',
  'fallbacks.overflow': 'A prompt that is too long for a model is not sent to another one.',
  'fallbacks.begun':
    'No model continues the text of another one; a reply that starts anew may come from another model.',
  'fallbacks.breaker':
    'After three failures in a row a model is not called for half a minute, then tried by one call at a time.',
  'fallbacks.breaker.fault':
    'Only faults of the provider count; a refusal of one request does not affect the model for others.',
  'fallbacks.alone': 'If its fallbacks are paused as well, a paused model is called nevertheless.',
  'fallbacks.options':
    'A fallback that is unknown, the model itself, or named twice prevents the start with a sentence.',
} as const;
