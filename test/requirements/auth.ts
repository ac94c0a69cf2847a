// What is promised of authentication (docs/contract/authentication.md), by the ids that tests cite.
export const authRequirements = {
  'auth.login.answer':
    'Signing in answers {expires_in, needs_setup}, sets both cookies, and never shows the token.',
  'auth.login.form': 'Signing in takes a form with username, password and an optional remember_me.',
  'auth.login.wrong': 'A wrong password is 401 invalid_credentials.',
  'auth.login.unknown': 'An unknown e-mail gets the same answer in the same time as a wrong password.',
  'auth.login.lockout': 'Five failures of one client address lock it for 300 seconds: 429 with Retry-After.',
  'auth.confirm.lockout':
    'Wrong passwords of whoever changes or deletes an account count as failed sign-ins of the address.',
  'auth.login.lockout.before': 'A locked address is refused before the password is looked at.',
  'auth.login.lockout.success':
    'A success clears what was counted for the same account and address, and nothing else; making an account clears nothing.',
  'auth.login.lockout.parallel': 'Many attempts at once do not slip past the limit.',
  'auth.login.lockout.bounded': 'The failures are kept in bounded memory.',
  'auth.login.delay':
    'After ten failed sign-ins to one account from anywhere, each further failure makes it wait: 1, 2, 4 ... 60 seconds, 429 with Retry-After; whoever waits gets in.',
  'auth.login.delay.owner':
    'Where an account has signed in before, the failures of others do not keep it out.',
  'auth.login.delay.unknown': 'An e-mail without an account waits as one with an account does.',
  'auth.login.delay.bounded': 'The failures by account are kept in bounded memory.',
  'auth.login.lockout.ipv6': 'IPv6 clients are counted per /64.',
  'auth.client-ip':
    'X-Real-IP counts only from AUTH_TRUSTED_PROXIES (addresses or ranges), else the peer address.',
  'auth.client-ip.forwarded-for': 'X-Forwarded-For is never read.',
  'auth.register': 'Registering answers 201 {id, email, system_role, needs_setup} and signs in.',
  'auth.register.duplicate': 'An e-mail that exists, in any case, is 400 email_already_exists.',
  'auth.register.role': 'system_role in the body is ignored.',
  'auth.register.limit':
    'One address makes ten accounts in an hour, failed attempts included, then 429 with Retry-After; IPv6 counts per /64.',
  'auth.register.closed': 'Closed registration is 403 registration_disabled.',
  'auth.passwords.length': 'A password has 8 to 1,024 characters, else 422.',
  'auth.passwords.blocklist': 'The 36 common passwords are refused in any case, after the length check.',
  'auth.passwords.nfkc': 'Passwords are NFKC-normalised.',
  'auth.passwords.queue':
    'Password hashes wait in a line of their own: addresses take turns, the line is bounded (503 beyond), and files and the database do not wait for them.',
  'auth.passwords.argon2id': 'Passwords are stored as argon2id hashes.',
  'auth.session.ended': 'Of many sessions at once it is told which are over.',
  'auth.change-password':
    'Changing the password needs the current one, ends every other session and sets a new cookie.',
  'auth.change-password.wrong': 'A wrong current password is 400 invalid_credentials.',
  'auth.change-password.setup': 'A new e-mail given with the new password clears needs_setup.',
  'auth.change-password.race': 'Of two changes at once one wins; no password is lost silently.',
  'auth.change-email': 'Changing the e-mail follows the same rules.',
  'auth.logout': 'Signing out answers 200, clears both cookies, and works without a session.',
  'auth.initialize':
    'The first administrator can be made while none exists, else 409 system_already_initialized.',
  'auth.me': 'me answers the account, without the hash.',
  'auth.setup-status':
    'setup-status tells whether an administrator is missing; providers lists the ways to sign in.',
  'auth.logout.session':
    'Signing out ends the session on the server: its token answers 401 token_invalid from then on.',
  'auth.session.fresh-id': 'Every sign-in is a session of its own, whatever cookies come along.',
  'auth.session.streams':
    'What was opened with a session ends with it: at once in the process that ends it, within five seconds elsewhere.',
  'auth.sessions.list':
    'A person lists their sessions with device, address and last use, which is written at most every five minutes.',
  'auth.sessions.device': 'A device is told in plain words, of which the client chooses none.',
  'auth.sessions.end': 'A person ends one session by its id; no API key does.',
  'auth.sessions.end-others':
    'A person ends all sessions but the one that asks; a change of password or e-mail does so, too.',
  'auth.sessions.most':
    'Of more sessions than allowed those end that were never used after their sign-in, then the one used longest ago.',
  'auth.recent-password':
    'Making an API key and exporting the account are 403 password_required when the password was given more than ten minutes ago; confirm-password gives it anew, under the count of failed sign-ins.',
  'auth.session.missing': 'A missing cookie is 401 not_authenticated.',
  'auth.session.invalid': 'A malformed, forged or revoked token is 401 token_invalid.',
  'auth.session.expired': 'An expired token is 401 token_expired.',
  'auth.session.user-gone': 'A token whose user no longer exists is 401 user_not_found.',
  'auth.session.life': 'A session lives 7 days.',
  'auth.session.claims':
    'The token is HS256 with the claims sub, iat, exp, ver, jti, aud and typ, and no other algorithm, audience or type is taken.',
  'auth.secret.short': 'An AUTH_JWT_SECRET of fewer than 32 characters refuses the start.',
  'auth.secret.weak': 'A secret that repeats, counts, or is made of the words of examples refuses the start.',
  'auth.secret.generated':
    'Without AUTH_JWT_SECRET a secret is generated once into <data_home>/.jwt_secret, mode 0600.',
  'auth.cookies': 'access_token is HttpOnly and Lax, csrf_token readable and Strict, both Path=/.',
  'auth.cookies.secure':
    'Cookies are Secure when the request came by https; X-Forwarded-Proto counts from a trusted proxy only.',
  'auth.cookies.host':
    'By https the cookies have the prefix __Host-, others are not read, and csrf_token is there for programs that look for it.',
  'auth.cookies.remember': 'With remember_me the cookies live 7 days, else as long as the browser.',
  'auth.csrf.missing': 'A write without the CSRF cookie or header is 403 "CSRF token missing".',
  'auth.csrf.mismatch': 'A write with another CSRF token is 403 "CSRF token mismatch".',
  'auth.csrf.bound': 'The CSRF token is of its session: that of another one is refused, also in both places.',
  'auth.csrf.order': 'Authentication is checked before CSRF: an anonymous write is 401.',
  'auth.csrf.exempt':
    'Login, register, logout and initialize need no CSRF token, but refuse a foreign Origin with 403.',
  'auth.public.exact':
    'Only exactly the public paths are public; //, .., encoding and upper case never make a path public.',
  'auth.public.unknown': 'An unknown path asks for authentication first, then is 404.',
  'auth.admin.created': 'The first start creates an administrator with needs_setup and a random password.',
  'auth.admin.file':
    'The credentials are written to admin_initial_credentials.txt, mode 0600, never over a planted file; only the path is logged.',
  'auth.admin.file-removed': 'The credentials file is removed after the first password change.',
  'auth.admin.race': 'Two processes that start at once create one administrator, and the file is right.',
  'auth.admin.crash':
    'A start that was cut off between the file and the account is completed by the next one.',
  'auth.admin.adopts': "Ownerless threads become the administrator's, idempotently.",
  'auth.admin.reset': 'reset-admin gives an existing account a new generated password the same way.',
} as const;
