// A small browser for tests: keeps cookies, sends the CSRF header, calls the app without a socket.

/** Anything that handles requests like `app.request` of Hono. */
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
  /** Ends the request like a client that disconnects. */
  readonly signal?: AbortSignal;
}

export interface HttpClient {
  /** Cookies that the service has set, by name. */
  readonly cookies: Map<string, string>;
  /** Sends the request with cookies and the CSRF header; headers given here win. */
  send(method: string, path: string, init?: SentRequest): Promise<Response>;
  get(path: string, headers?: Headers): Promise<Response>;
  post(path: string, json?: unknown, headers?: Headers): Promise<Response>;
  put(path: string, json?: unknown, headers?: Headers): Promise<Response>;
  patch(path: string, json?: unknown, headers?: Headers): Promise<Response>;
  delete(path: string, headers?: Headers): Promise<Response>;
  /** Signs in with the sign-in form; returns the response unchanged. */
  signIn(credentials: SignInOptions): Promise<Response>;
  /** Makes an account and signs the client in. */
  register(credentials: SignInOptions): Promise<Response>;
}

/** Creates a client. The headers of `always` are part of every request. */
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

/** Stores the cookies of the response; one with an age of 0 is removed, as in a browser. */
function remember(cookies: Map<string, string>, response: Response): void {
  for (const line of response.headers.getSetCookie()) {
    const [pair = '', ...attributes] = line.split('; ');
    const [name = '', value = ''] = pair.split('=');
    if (attributes.some((attribute) => attribute.toLowerCase() === 'max-age=0')) cookies.delete(name);
    else cookies.set(name, value);
  }
}

/** Returns the JSON body of a response, typed as the test expects it. */
export async function bodyOf<T>(response: Response): Promise<T> {
  return (await response.json()) as T;
}

/** Returns `detail` of an error body, typed as the test expects it. */
export async function detailOf<T = string>(response: Response): Promise<T> {
  return (await bodyOf<{ detail: T }>(response)).detail;
}
