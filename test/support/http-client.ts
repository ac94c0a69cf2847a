// A small browser for tests: keeps cookies, sends the CSRF header, speaks to the app without a socket.

/** Anything that answers requests like `app.request` of Hono. */
export interface RequestTarget {
  request(path: string, init?: RequestInit): Response | Promise<Response>;
}

interface SignInOptions {
  readonly email: string;
  readonly password: string;
}

type RequestBody = NonNullable<RequestInit['body']>;
type Headers = Readonly<Record<string, string>>;

interface SentRequest {
  readonly body?: RequestBody;
  readonly headers?: Headers;
  /** Ends the request, as a client does that goes away. */
  readonly signal?: AbortSignal;
}

export interface HttpClient {
  /** Cookies that the service has set, by name. */
  readonly cookies: Map<string, string>;
  /** The request as it is, plus cookies and the CSRF header; headers given here win. */
  send(method: string, path: string, init?: SentRequest): Promise<Response>;
  get(path: string, headers?: Headers): Promise<Response>;
  post(path: string, json?: unknown, headers?: Headers): Promise<Response>;
  put(path: string, json?: unknown, headers?: Headers): Promise<Response>;
  patch(path: string, json?: unknown, headers?: Headers): Promise<Response>;
  delete(path: string, headers?: Headers): Promise<Response>;
  /** Signs in with the sign-in form; the answer is returned as it is. */
  signIn(credentials: SignInOptions): Promise<Response>;
  /** Makes an account; the client is signed in afterwards. */
  register(credentials: SignInOptions): Promise<Response>;
}

/** `always` goes with every request. */
export function createHttpClient(target: RequestTarget, always: Headers = {}): HttpClient {
  const cookies = new Map<string, string>();

  async function send(method: string, path: string, init: SentRequest = {}): Promise<Response> {
    const csrf = cookies.get('csrf_token');
    const headers = {
      ...(cookies.size > 0 && { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') }),
      ...(method !== 'GET' && csrf !== undefined && { 'x-csrf-token': csrf }),
      ...always,
      ...init.headers,
    };
    const { body, signal } = init;
    const given = {
      ...(body !== undefined && { body, duplex: 'half' as const }),
      ...(signal !== undefined && { signal }),
    };
    const response = await target.request(path, { method, headers, ...given });
    remember(cookies, response);
    return response;
  }

  const sendJson = (method: string) => (path: string, json?: unknown, headers?: Headers) =>
    send(method, path, {
      ...(json !== undefined && { body: JSON.stringify(json) }),
      headers: { ...(json !== undefined && { 'content-type': 'application/json' }), ...headers },
    });

  return {
    cookies,
    send,
    get: (path, headers = {}) => send('GET', path, { headers }),
    post: sendJson('POST'),
    put: sendJson('PUT'),
    patch: sendJson('PATCH'),
    delete: (path, headers = {}) => send('DELETE', path, { headers }),
    signIn: ({ email, password }) =>
      send('POST', '/api/v1/auth/login/local', {
        body: new URLSearchParams({ username: email, password }),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      }),
    register: (credentials) => sendJson('POST')('/api/v1/auth/register', credentials),
  };
}

/** Stores what the answer sets; a cookie with an age of 0 is gone, as in a browser. */
function remember(cookies: Map<string, string>, response: Response): void {
  for (const line of response.headers.getSetCookie()) {
    const [pair = '', ...attributes] = line.split('; ');
    const [name = '', value = ''] = pair.split('=');
    if (attributes.some((attribute) => attribute.toLowerCase() === 'max-age=0')) cookies.delete(name);
    else cookies.set(name, value);
  }
}

/** The JSON body of an answer, in the shape that the test goes on to check. */
export async function bodyOf<T>(response: Response): Promise<T> {
  return (await response.json()) as T;
}

/** `detail` of an error body, in the shape that the test goes on to check. */
export async function detailOf<T = string>(response: Response): Promise<T> {
  return (await bodyOf<{ detail: T }>(response)).detail;
}
