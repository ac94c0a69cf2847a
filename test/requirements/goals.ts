// What goals of threads promise, by the ids that tests cite.
export const goalRequirements = {
  'goals.routes':
    'A goal with its limits is set, read and removed by its routes; what is out of bounds is 422, and a change while a run is active 409.',
  'goals.told':
    'The lead agent reads the goal in its instructions, sub-agents do not; a forged mark in it is none.',
  'goals.free':
    'A thread without an active goal makes no model call for one, and its prompts have nothing of it.',
  'goals.continue':
    'Behind an answer an evaluator judges the goal; while it is not met the agent goes on in the same run, and reads what is missing.',
  'goals.stream': 'values and updates show the goal after each judgement, the record has middleware:goal.',
  'goals.counted':
    'The evaluation is counted under middleware:goal, and what the runs of a goal took in spent_tokens.',
  'goals.model': 'A model of its own can judge.',
  'goals.limits':
    'The number of continuations, continuations without progress and a budget of tokens end the work.',
  'goals.blocked':
    'The agent does not go on where only the person can help, nor when the evaluator fails; the goal stays.',
  'goals.person': 'A message of the person that waits comes before the next continuation; the goal stays.',
  'goals.cancel': 'A cancelled run does not go on, also while its answer is judged; the goal stays.',
  'goals.steps': 'recursion_limit counts anew behind an answer, for goals and for plans.',
  'goals.plan':
    'An agent with an unfinished plan is asked about the plan first; its goal is judged behind that.',
  'goals.copies':
    'A goal is part of the state: copies, branches, packages and state updates by clients leave it whole.',
  'goals.kill': 'Killed at any moment round a judgement, the agent goes on once.',
  'goals.takeover': 'Of two processes one goes on.',
  'goals.web':
    'A chat sets a goal, shows how it stands, why, and how much of its limits is used, goes on, and removes it; a chat without one asks nothing.',
} as const;
