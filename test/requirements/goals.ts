// Requirements of goals of threads, by the ids that tests cite.
export const goalRequirements = {
  'goals.routes':
    'Routes set, read and remove a goal with its limits; values out of range are 422, and a change during an active run is 409.',
  'goals.told':
    'The lead agent has the goal in its instructions, sub-agents do not; marks forged in the goal are escaped.',
  'goals.free':
    'A thread without an active goal makes no model call for one, and its prompts do not mention goals.',
  'goals.continue':
    'After a reply an evaluator judges the goal; until it is met the agent continues in the same run and is shown what is missing.',
  'goals.stream': 'values and updates show the goal after each judgement; the record has middleware:goal.',
  'goals.counted':
    "The evaluation is counted under middleware:goal, and the tokens of a goal's runs in spent_tokens.",
  'goals.model': 'A separate model can be configured as the judge.',
  'goals.limits':
    'The number of continuations, continuations without progress and a token budget end the work.',
  'goals.blocked':
    'The agent does not continue when only the person can help, or when the evaluator fails; the goal stays.',
  'goals.person': 'A waiting message of the person comes before the next continuation; the goal stays.',
  'goals.cancel': 'A cancelled run does not continue, even if its reply is being judged; the goal stays.',
  'goals.steps': 'recursion_limit counts anew after each reply, for goals and for plans.',
  'goals.plan':
    'An agent with an unfinished plan is reminded of the plan first; its goal is judged afterwards.',
  'goals.copies':
    'A goal is part of the state: copies, branches and packages contain it, and state updates by clients do not change it.',
  'goals.kill': 'If the process is killed at any moment around a judgement, the agent continues once.',
  'goals.takeover': 'With two processes, only one continues.',
  'goals.web':
    'In a chat a person sets a goal, sees its status, the reason and how much of its limits is used, continues, and removes it; a chat without a goal makes no request for one.',
} as const;
