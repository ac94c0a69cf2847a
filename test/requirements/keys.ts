// What is asked of personal API keys (docs/contract/authentication.md#api-keys), by the ids that tests cite.
export const keyRequirements = {
  'auth.keys.create':
    'A person makes an API key with a name, scopes and an optional end; it has 256 secret bits or more, is shown once, and only its hash is stored.',
  'auth.keys.end':
    'An API key works for 90 days unless another end, or none (null), is chosen; the answer tells.',
  'auth.keys.most': 'A person has a limited number of API keys.',
  'auth.keys.revoke': 'A person revokes an API key; it opens nothing from then on.',
  'auth.keys.password': 'A new password leaves the API keys, unless it is asked to revoke them.',
  'auth.keys.used': 'The last use of an API key is shown, written at most once a minute.',
  'auth.keys.bearer':
    'An API key is taken on every route, as bearer token or X-Api-Key, and needs no CSRF token.',
  'auth.keys.refused': 'A bad or revoked API key is 401 token_invalid, one that has expired token_expired.',
  'auth.keys.user-gone': 'An API key whose owner is gone is 401 user_not_found.',
  'auth.keys.both': 'A request with a cookie and an API key is the key’s.',
  'auth.keys.read': 'An API key with the scope read changes nothing: 403 and a sentence.',
  'auth.keys.account': 'The account and its API keys are changed in a session, never with an API key.',
  'auth.keys.socket': 'An API key opens WebSockets, within its scopes.',
  'auth.keys.streams': 'An API key reads streams.',
  'auth.keys.revoked-streams': 'Revoking an API key ends within five seconds what was opened with it.',
  'auth.keys.revoked-wait': 'So does waiting for the end of a run that is cancelled.',
  'auth.keys.sdk': 'The official client works with an API key, as a header and as its apiKey.',
  'storage.api-keys': 'API keys are found by their hash, with their owner.',
  'storage.api-keys.most': 'Of many API keys made at once no more are stored than allowed.',
  'storage.api-keys.live': 'Of many API keys at once it is told which work.',
  'storage.api-keys.used': 'The time of the last use of an API key never moves back.',
  'owner.api-keys': 'API keys of other users are invisible and untouchable.',
} as const;
