// What plan mode promises, by the ids that tests cite.
export const planRequirements = {
  'plan.offered':
    'is_plan_mode of a run gives the lead agent write_todos and a part of the prompt, sub-agents neither.',
  'plan.off':
    'Without is_plan_mode nothing of plans is in a request to the model, whatever plan the thread has.',
  'plan.state':
    'write_todos replaces todos of the state; each checkpoint keeps its own, and so do branches, copies and packages.',
  'plan.stream': 'values frames have todos after each change, and updates show the change with its step.',
  'plan.sdk': 'The official client reads todos in the stream, the state and the history, and can write them.',
  'plan.refused': 'A list that breaks a rule is refused with what to do, and the plan stays as it is.',
  'plan.once': 'Several calls of write_todos in one answer are refused; the other calls of it run.',
  'plan.unseen': 'An unfinished plan that the prompt does not show as it is is told behind its last message.',
  'plan.idle': 'An agent that works for eight steps without changing its unfinished plan is reminded of it.',
  'plan.end':
    'An agent that ends with an unfinished plan is asked again, once for each question; the record says so.',
  'plan.kill': 'A plan, and what was said to an agent that was about to end, survive a kill.',
} as const;
