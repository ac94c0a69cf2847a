// What keeps a run on track, by the ids that tests cite.
export const loopRequirements = {
  'loops.warn':
    'A model that makes the same call three times with the same arguments is warned once of that circle; the record says so.',
  'loops.data': 'The warning is in prompts alone, between marks of the service, and stays where it was said.',
  'loops.stop':
    'The sixth time the call is not made; the run ends as loop_detected with a sentence, and the thread goes on with the next message.',
  'loops.same':
    'Calls are the same whatever the order of their arguments, and whatever they are described as.',
  'loops.waiting': 'While the results of a repeated call change, four times count as one.',
  'loops.rounds': 'Rounds of two or three calls count as one call does.',
  'loops.subagent': 'A sub-agent that goes round in circles fails its task alone.',
  'loops.limits': 'agent.loops sets both limits, or switches them off.',
  'loops.kill':
    'A kill forgets no repetition: the warning is not said again, and the run ends where it would have ended.',
} as const;

/** What becomes of answers that are none. */
export const answerRequirements = {
  'answers.empty':
    'An empty answer is asked for once more and counted; a second one ends the run, as a model may that has nothing to add.',
  'answers.refused':
    'An answer that its provider holds back ends the run as model_error with a sentence; what was said stays, and it makes no call.',
  'answers.cut':
    'An answer that is cut off at its longest length is kept with finish_reason length; in the middle of a call it is asked for once more, then the run fails with what to do.',
  'answers.malformed': 'An answer with broken tool calls is asked for once more.',
} as const;

/** Long tasks in which things go wrong. */
export const longTaskRequirements = {
  'tasks.tools':
    'Tools that fail, refuse their arguments or hang in circles do not keep a run from its expected end, and every prompt is whole and within the window.',
  'tasks.prompts':
    'A task of any length is done in a window of 32,000 tokens: huge outputs, many steps, refused prompts and failing summaries.',
  'tasks.provider':
    'A provider that fails, breaks off or answers nonsense in the middle of a task costs no step and repeats none.',
  'tasks.minds':
    'Corrections, interruptions, plans and contradicting sources leave the newest words in force.',
  'tasks.room':
    'The results of the calls of one answer share agent.tool_calls.max_output_characters, and at most a quarter of the window; what is cut says where the rest is.',
} as const;

/** What fallback models promise. */
export const fallbackRequirements = {
  'fallbacks.used':
    'When a model fails before its first word, after its retries, its fallbacks are asked in their order; the usage and the record of the run say which one answered.',
  'fallbacks.failed': 'When all of them fail, the run fails with a sentence that names them.',
  'fallbacks.overflow': 'A prompt that is too long for a model is not given to another one.',
  'fallbacks.begun':
    'No model goes on with what another one has said; an answer that is begun anew may come from another.',
  'fallbacks.breaker':
    'After three failures in a row a model is left alone for half a minute, then tried by one call at a time.',
  'fallbacks.breaker.fault':
    'Only faults of the provider count: what one request is refused for leaves the model to everybody else.',
  'fallbacks.alone': 'A model is asked all the same when its fallbacks are left alone as well.',
  'fallbacks.options':
    'A fallback that is unknown, the model itself, or named twice stops the start with a sentence.',
} as const;
