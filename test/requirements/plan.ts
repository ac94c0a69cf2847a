// Requirements of plan mode, by the ids that tests cite.
export const planRequirements = {
  'plan.offered':
    'With is_plan_mode of a run, the lead agent has write_todos and a section of the prompt; sub-agents have neither.',
  'plan.off': 'Without is_plan_mode, no model request mentions plans, even if the thread has one.',
  'plan.state':
    'write_todos replaces todos of the state; each checkpoint has its own, and branches, copies and packages contain them.',
  'plan.stream': 'values frames have todos after each change, and updates show the change with its step.',
  'plan.sdk': 'The official client reads todos in the stream, the state and the history, and can write them.',
  'plan.refused': 'A list that breaks a rule is refused with advice, and the plan does not change.',
  'plan.once': 'Several calls of write_todos in one reply are refused; its other calls run.',
  'plan.unseen':
    'If the prompt does not show the current unfinished plan, it is added after the last message.',
  'plan.idle': 'An agent that works for eight steps without changing its unfinished plan is reminded of it.',
  'plan.end':
    'An agent that ends with an unfinished plan is asked to continue, once per question; the record contains that.',
  'plan.kill': 'The plan, and the reminder of an agent that was about to end, survive a kill.',
} as const;
