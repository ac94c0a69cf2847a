// Requirements of suggestions, by the ids that tests cite.
export const suggestionsRequirements = {
  'suggestions.thread':
    'A model suggests at most n messages that the person may want to send next, based on the thread.',
  'suggestions.messages': 'The client may send the conversation itself, and choose the model.',
  'suggestions.counted':
    'The model call is in the record and the totals of the last run, under middleware:suggestions, once.',
  'suggestions.again':
    'Without new messages, a repeated request returns the same suggestions without a model call; concurrent requests share one call.',
  'suggestions.failing': 'If the model fails or returns nothing usable, the response is an empty list, 200.',
  'suggestions.none':
    'There are none during a run, without a run, with a spent budget, and when they are disabled.',
  'suggestions.bad': 'n outside 1 to 5, unknown roles and unknown models are 422.',
  'suggestions.web':
    'The web app shows them below the last reply; one click puts the text into the message box.',
} as const;
