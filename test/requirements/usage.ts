// What is promised of token usage, cost and budgets (docs/contract/record.md#token-usage), by the ids that tests cite.
export const usageRequirements = {
  'usage.run': 'A run tells its tokens by caller and by model, sub-agents and middleware included.',
  'usage.run.live':
    'The totals of a run are read while it runs: a model call is in them once its end is durable.',
  'usage.cancelled':
    'A call that was cancelled after the model had begun is counted by an estimate, and says so; so is one that broke off.',
  'usage.uncounted': 'An answer whose provider does not count is estimated, and says so.',
  'usage.once':
    'A model call is counted once over all attempts: totals are what the llm_response events add up to.',
  'usage.cost': 'What a call costs is reckoned in integers at the price of the moment, and kept.',
  'usage.cached':
    'Runs, threads and days tell how many input tokens were cached, and their share of all; null without any.',
  'usage.price': 'A model may have a price; all prices have one currency.',
  'usage.thread':
    'token-usage sums over all ended runs of the thread: tokens, by model, by caller, context_usage, cost.',
  'usage.thread.context': 'context_usage is the last prompt over what its model can read, or null.',
  'usage.days': 'GET /api/usage gives the days of a person, also empty ones, with models and cost.',
  'usage.days.kept': 'What was spent stays in the days when threads and runs are deleted.',
  'usage.days.range': 'Bad dates and ranges over 366 days are 422; without dates it is the last 30 days.',
  'usage.owner': 'Nobody sees what others have used.',
  'usage.late':
    'A title call that ends after its run is counted once: in its record, on the run and on its day.',
  'budgets.run': 'A run has a budget of tokens and money; it ends as budget_exhausted with a sentence.',
  'budgets.day':
    "A person's day (UTC) has a budget of tokens and money; the sentence tells when there is a new one.",
  'budgets.subagents': 'Sub-agents that work at once stay within the budget of their run together.',
  'budgets.concurrent': 'Runs of one person that go on at once stay within the budget of the day together.',
  'budgets.reserved': 'What a call may take is set aside before it is made.',
  'budgets.settled': 'What was set aside is given back together with what was spent instead.',
  'budgets.released': 'A call that fails gives back what it had set aside.',
  'budgets.dead': 'What a dead attempt had set aside counts no more.',
  'budgets.drained': 'A service that hands its runs over gives back what their calls had set aside.',
} as const;
