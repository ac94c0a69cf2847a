// Requirements of authentication (docs/contract/authentication.md), by the ids that tests cite.
export const authRequirements = {
  'auth.login.answer':
    'Signing in returns {expires_in, needs_setup}, sets both cookies, and never returns the token.',
  'auth.login.form': 'Signing in takes a form with username, password and an optional remember_me.',
  'auth.login.wrong': 'A wrong password is 401 invalid_credentials.',
  'auth.login.unknown': 'An unknown e-mail gets the same response in the same time as a wrong password.',
  'auth.login.lockout':
    'Five failures from one client address lock it for 300 seconds: 429 with Retry-After.',
  'auth.confirm.lockout':
    'A wrong password when changing or deleting an account counts as a failed sign-in of the address.',
  'auth.login.lockout.before': 'A locked address is refused before the password is checked.',
  'auth.login.lockout.success':
    'A success resets the count for the same account and address, and nothing else; creating an account resets nothing.',
  'auth.login.lockout.parallel': 'Concurrent attempts cannot exceed the limit.',
  'auth.login.lockout.bounded': 'Failures by address use bounded memory.',
  'auth.login.delay':
    'After ten failed sign-ins to one account from any addresses, each further failure delays the next attempt by 1, 2, 4 ... 60 seconds: 429 with Retry-After; after the delay, the right password works.',
  'auth.login.delay.owner':
    'Failures of others do not delay a browser that has signed in to the account before.',
  'auth.login.delay.unknown': 'An e-mail without an account is delayed like one with an account.',
  'auth.login.delay.bounded': 'Failures by account use bounded memory.',
  'auth.login.lockout.ipv6': 'IPv6 clients are counted per /64.',
  'auth.client-ip':
    'X-Real-IP is read only from AUTH_TRUSTED_PROXIES (addresses or ranges); otherwise the peer address counts.',
  'auth.client-ip.forwarded-for': 'X-Forwarded-For is never read.',
  'auth.register': 'Registering returns 201 {id, email, system_role, needs_setup} and signs in.',
  'auth.register.duplicate': 'An existing e-mail, in any case, is 400 email_already_exists.',
  'auth.register.role': 'system_role in the body is ignored.',
  'auth.register.limit':
    'One address can register ten accounts in an hour, failed attempts included, then gets 429 with Retry-After; IPv6 counts per /64.',
  'auth.register.closed': 'When registration is closed, registering is 403 registration_disabled.',
  'auth.passwords.length': 'A password has 8 to 1,024 characters; any other length is 422.',
  'auth.passwords.blocklist': 'The 36 common passwords are refused in any case, after the length check.',
  'auth.passwords.nfkc': 'Passwords are NFKC-normalised.',
  'auth.passwords.queue':
    'Password hashes have a queue of their own: addresses take turns, the queue is bounded (503 beyond), and file and database work does not wait for it.',
  'auth.passwords.argon2id': 'Passwords are stored as argon2id hashes.',
  'auth.session.ended': 'A batch check of many sessions returns those that have ended.',
  'auth.change-password':
    'Changing the password requires the current one, ends every other session and sets a new cookie.',
  'auth.change-password.wrong': 'A wrong current password is 400 invalid_credentials.',
  'auth.change-password.setup': 'Setting a new e-mail with the new password clears needs_setup.',
  'auth.change-password.race': 'Of two concurrent changes one succeeds and the other gets an error.',
  'auth.change-email': 'Changing the e-mail follows the same rules.',
  'auth.logout': 'Signing out returns 200, clears both cookies, and works without a session.',
  'auth.initialize':
    'The first administrator can be created while none exists; afterwards it is 409 system_already_initialized.',
  'auth.me': 'me returns the account without the password hash.',
  'auth.setup-status':
    'setup-status returns whether an administrator is missing; providers lists the ways to sign in.',
  'auth.logout.session':
    'Signing out ends the session on the server: its token is 401 token_invalid from then on.',
  'auth.session.fresh-id': 'Every sign-in creates a new session, whatever cookies the request has.',
  'auth.session.streams':
    'Streams opened with a session end with it: immediately in the process that ends it, within five seconds elsewhere.',
  'auth.sessions.list':
    "A person's sessions are listed with device, address and last use, which is written at most every five minutes.",
  'auth.sessions.device': 'A device is described in fixed words, none of which the client chooses.',
  'auth.sessions.end': 'A person can end one session by its id; an API key cannot.',
  'auth.sessions.end-others':
    'A person can end all sessions except the current one; changing the password or e-mail does so, too.',
  'auth.sessions.most':
    'Beyond the limit, sessions that were never used after sign-in end first, then the least recently used.',
  'auth.recent-password':
    'Creating an API key and exporting the account are 403 password_required if the password was entered more than ten minutes ago; confirm-password renews it, and failures count as failed sign-ins.',
  'auth.session.missing': 'A missing cookie is 401 not_authenticated.',
  'auth.session.invalid': 'A malformed, forged or revoked token is 401 token_invalid.',
  'auth.session.expired': 'An expired token is 401 token_expired.',
  'auth.session.user-gone': 'A token whose user no longer exists is 401 user_not_found.',
  'auth.session.life': 'A session lasts 7 days.',
  'auth.session.claims':
    'The token is HS256 with the claims sub, iat, exp, ver, jti, aud and typ; any other algorithm, audience or type is refused.',
  'auth.secret.short': 'With an AUTH_JWT_SECRET of fewer than 32 characters, the service does not start.',
  'auth.secret.weak':
    'With a secret that repeats, counts, or consists of words from examples, the service does not start.',
  'auth.secret.generated':
    'Without AUTH_JWT_SECRET, a secret is generated once in <data_home>/.jwt_secret, mode 0600.',
  'auth.cookies':
    'access_token is HttpOnly and SameSite=Lax, csrf_token readable and SameSite=Strict, both Path=/.',
  'auth.cookies.secure':
    'Cookies are Secure if the request used https; X-Forwarded-Proto is read only from a trusted proxy.',
  'auth.cookies.host':
    'Over https, cookies have the prefix __Host- and others are ignored; csrf_token is also set for programs that look for it.',
  'auth.cookies.remember': 'With remember_me the cookies last 7 days, otherwise until the browser closes.',
  'auth.csrf.missing': 'A write without the CSRF cookie or header is 403 "CSRF token missing".',
  'auth.csrf.mismatch': 'A write with a different CSRF token is 403 "CSRF token mismatch".',
  'auth.csrf.bound':
    'The CSRF token is bound to its session: the token of another session is refused, even if cookie and header agree.',
  'auth.csrf.order': 'Authentication is checked before CSRF: an anonymous write is 401.',
  'auth.csrf.exempt':
    'Login, register, logout and initialize need no CSRF token, but refuse a foreign Origin with 403.',
  'auth.public.exact':
    'Only the exact public paths are public; //, .., encoding and upper case never make another path public.',
  'auth.public.unknown': 'An unknown path requires authentication first, then is 404.',
  'auth.admin.created': 'The first start creates an administrator with needs_setup and a random password.',
  'auth.admin.file':
    'The credentials are written to admin_initial_credentials.txt, mode 0600, never over a planted file; only the path is logged.',
  'auth.admin.file-removed': 'The credentials file is removed after the first password change.',
  'auth.admin.race':
    'Two processes that start at the same time create one administrator with the right credentials file.',
  'auth.admin.crash':
    'A start that was interrupted between the file and the account is completed by the next one.',
  'auth.admin.adopts': "Ownerless threads become the administrator's; repeating this changes nothing.",
  'auth.admin.reset': 'reset-admin sets a new generated password for an existing account in the same way.',
} as const;
