// Requirements of personal API keys (docs/contract/authentication.md#api-keys), by the ids that tests cite.
export const keyRequirements = {
  'auth.keys.create':
    'A person creates an API key with a name, scopes and an optional expiry; it has at least 256 secret bits, is shown once, and only its hash is stored.',
  'auth.keys.end':
    'An API key is valid for 90 days unless another expiry, or none (null), is chosen; the response contains it.',
  'auth.keys.most': 'The number of API keys of a person is limited.',
  'auth.keys.revoke': 'A revoked API key grants no access from then on.',
  'auth.keys.password': 'Changing the password keeps the API keys, unless the request revokes them.',
  'auth.keys.used': 'The last use of an API key is shown; it is written at most once a minute.',
  'auth.keys.bearer': 'Every route accepts an API key, as bearer token or X-Api-Key, without a CSRF token.',
  'auth.keys.refused': 'An invalid or revoked API key is 401 token_invalid, an expired one token_expired.',
  'auth.keys.user-gone': 'An API key whose owner no longer exists is 401 user_not_found.',
  'auth.keys.both': 'For a request with a cookie and an API key, the key counts.',
  'auth.keys.read': 'A request with an API key of scope read cannot change anything: 403 and a sentence.',
  'auth.keys.account':
    'The account and its API keys can be changed only in a session, never with an API key.',
  'auth.keys.socket': 'An API key opens WebSockets, within its scopes.',
  'auth.keys.streams': 'An API key reads streams.',
  'auth.keys.revoked-streams':
    'Revoking an API key ends everything that was opened with it within five seconds.',
  'auth.keys.revoked-wait': 'It also ends a request that waits for the end of a cancelled run.',
  'auth.keys.sdk': 'The official client works with an API key, as a header and as its apiKey.',
  'storage.api-keys': 'API keys are found by their hash, with their owner.',
  'storage.api-keys.most': 'When many API keys are created concurrently, no more are stored than allowed.',
  'storage.api-keys.live': 'A batch check of many API keys returns which are valid.',
  'storage.api-keys.used': 'The time of the last use of an API key never moves back.',
  'owner.api-keys': 'API keys of other users cannot be seen or changed.',
} as const;
