// What suggestions promise, by the ids that tests cite.
export const suggestionsRequirements = {
  'suggestions.thread':
    'A model writes what the person may want to say next, of what the thread says, n of them at most.',
  'suggestions.messages': 'The client may send the conversation itself, and choose the model.',
  'suggestions.counted':
    'The model call is in the record and the totals of the last run, under middleware:suggestions, once.',
  'suggestions.again':
    'Asked again where nothing new was said, it answers the same without a model call; asked twice at once, with one.',
  'suggestions.failing': 'A model that fails or says nothing usable gives an empty list, 200.',
  'suggestions.none':
    'There are none while a run works, without a run, with a spent budget, and when they are off.',
  'suggestions.bad': 'n outside of 1 to 5, unknown roles and unknown models are 422.',
  'suggestions.web':
    'The web app shows them below the last answer; one click puts the words into the message.',
} as const;
