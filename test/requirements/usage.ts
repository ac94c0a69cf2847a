// Requirements of token usage, cost and budgets (docs/contract/record.md#token-usage), by the ids that tests cite.
export const usageRequirements = {
  'usage.run': 'A run shows its tokens by caller and by model, including sub-agents and middleware.',
  'usage.run.live':
    'The totals of an active run can be read: they include each model call once its end is durable.',
  'usage.cancelled':
    'A call that was cancelled, or broke off, after the model had started is counted by an estimate and marked as estimated.',
  'usage.uncounted': 'A reply whose provider does not report tokens is estimated and marked as estimated.',
  'usage.once':
    'A model call is counted once over all attempts: totals equal the sum of the llm_response events.',
  'usage.cost': 'The cost of a call is computed in integers at the current price, and stored.',
  'usage.cached':
    'Runs, threads and days show how many input tokens were cached, and their share; null without any.',
  'usage.price': 'A model may have a price; all prices have one currency.',
  'usage.thread':
    'token-usage adds up all ended runs of the thread: tokens, by model, by caller, context_usage, cost.',
  'usage.thread.context':
    "context_usage is the size of the last prompt divided by the model's context window, or null.",
  'usage.days': 'GET /api/usage returns the days of a person, including empty ones, with models and cost.',
  'usage.days.kept': 'Daily usage stays when threads and runs are deleted.',
  'usage.days.range':
    'Bad dates and ranges over 366 days are 422; without dates the range is the last 30 days.',
  'usage.owner': 'No user sees what others have used.',
  'usage.late':
    'A title call that ends after its run is counted once: in its record, on the run and on its day.',
  'budgets.run':
    'A run has a budget of tokens and money; beyond it, it ends as budget_exhausted with a sentence.',
  'budgets.day':
    "A person's day (UTC) has a budget of tokens and money; the sentence says when it is renewed.",
  'budgets.subagents': 'Concurrent sub-agents together stay within the budget of their run.',
  'budgets.concurrent': 'Concurrent runs of one person together stay within the budget of the day.',
  'budgets.reserved': 'The most that a call may use is reserved before it is made.',
  'budgets.settled': 'The reservation is released in the same step that records the actual usage.',
  'budgets.released': 'A call that fails releases its reservation.',
  'budgets.dead': 'Reservations of a dead attempt no longer count.',
  'budgets.drained': 'A service that hands its runs over releases the reservations of their calls.',
} as const;
