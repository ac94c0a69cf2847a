// Requests as no client should write them, made for each route of the service.

/** A route that needs a session, with its parameters filled in. */
export interface ClosedRoute {
  readonly method: string;
  readonly path: string;
  /** Lines that every request carries. */
  readonly credential: readonly string[];
}

export interface RawRequest {
  /** What is odd about it, for whoever reads a failure. */
  readonly name: string;
  readonly bytes: Buffer;
  /** How many of the requests that it holds ask for something public in proper form. */
  readonly publicParts: number;
}

interface Parts {
  readonly method?: string;
  readonly target?: string;
  readonly version?: string;
  /** Lines of the head, without their ends. */
  readonly head?: readonly string[];
  readonly body?: string;
  readonly end?: string;
}

const HOST = 'Host: localhost';

function written(route: ClosedRoute, parts: Parts): string {
  const { method = route.method, target = route.path, version = 'HTTP/1.1' } = parts;
  const { head = [HOST], body = '', end = '\r\n' } = parts;
  return `${[`${method} ${target} ${version}`, ...head, ...route.credential, ''].join(end)}${end}${body}`;
}

type Variant = (route: ClosedRoute) => Parts;

/** Each one, on a target that is public by itself, would lead to the route if the address were made of Host and target. */
const HOSTS: readonly ((path: string) => string)[] = [
  (path) => `ü.ü${path}?`,
  (path) => `localhost${path}?`,
  (path) => `localhost${path}#`,
  (path) => `localhost/..${path}?`,
  (path) => `127.1${path}?`,
  (path) => `user@localhost${path}?`,
  (path) => `localhost:80${path}#`,
  (path) => `localhost\\..${path}?`,
  () => '127.1',
  () => '2130706433',
  () => '0x7f.0.0.1',
  () => '0177.0.0.1',
  () => '127.0.0.256',
  () => 'user:password@localhost',
  () => 'localhost:',
  () => 'localhost:65536',
  () => 'localhost:80:80',
  () => 'localhost:-1',
  () => '[::1',
  () => '[::1]x',
  () => '[fe80::1%25eth0]',
  () => '"localhost"',
  () => '{localhost}',
  () => '`localhost`',
  () => 'local host',
  () => '%6cocalhost',
  () => 'localhost,localhost',
  () => 'a..b',
  () => '.',
  () => 'localhost.',
  () => '',
  () => `${'a.'.repeat(130)}b`,
];

const TARGETS: readonly ((path: string) => string)[] = [
  (path) => `http://localhost${path}`,
  (path) => `http://evil.example.com${path}`,
  (path) => `HTTP://localhost${path}`,
  (path) => `https://localhost${path}`,
  (path) => `//${path.slice(1)}`,
  (path) => `//localhost${path}`,
  (path) => `/.${path}`,
  (path) => `/%2e${path}`,
  (path) => `/health/..${path}`,
  (path) => `/health/%2e%2e${path}`,
  (path) => `/health/.%2E${path}`,
  (path) => `/assets/..%2f${path.slice(1)}`,
  (path) => `/login/..;${path}`,
  (path) => `/health#${path}`,
  (path) => `/health\\..${path}`,
  (path) => `\\${path.slice(1)}`,
  (path) => path.slice(1),
  (path) => `${path}#/health`,
  (path) => `${path}?/health`,
  (path) => `${path}?#/health`,
  (path) => `${path};.css`,
  (path) => `${path}/.css`,
  (path) => `${path}.css`,
  (path) => `${path}/`,
  (path) => `${path}%00`,
  (path) => `${path}\0`,
  (path) => `${path}\t`,
  (path) => `${path}%20`,
  (path) => `${path}%zz`,
  (path) => `${path}ü`,
  (path) => `${path}?ü`,
  (path) => path.toUpperCase(),
  (path) => path.replace('/api', '/%61pi'),
  (path) => path.replaceAll('/', '%2f'),
  (path) => path.replaceAll('/', '%5c'),
  (path) => `/${path.slice(1).replaceAll('/', '//')}`,
  (path) => `${path}?_method=GET&access_token=x`,
  () => '*',
  () => '?',
  () => 'localhost:80',
];

const METHODS = [
  'get',
  'Post',
  'TRACE',
  'CONNECT',
  'PROPFIND',
  'QUERY',
  'HEAD',
  'OPTIONS',
  'FROB',
  'G\0T',
  '',
];

const HEADS: readonly Variant[] = [
  () => ({ head: [] }),
  () => ({ head: [HOST, HOST] }),
  () => ({ head: [HOST, 'Host: evil.example.com'] }),
  () => ({ head: ['host: localhost', 'HOST: localhost'] }),
  () => ({ head: ['Host: localhost', ' evil.example.com'] }),
  () => ({ head: ['Host : localhost'] }),
  () => ({ head: [' Host: localhost'] }),
  () => ({ head: [HOST, 'X: a', '\tb'] }),
  () => ({ head: [HOST, 'X'] }),
  () => ({ head: [HOST, ': x'] }),
  () => ({ head: [HOST, 'X: \0'] }),
  () => ({ head: [HOST], end: '\n' }),
  () => ({ head: [HOST], end: '\r' }),
  () => ({ head: [HOST, 'X-HTTP-Method-Override: GET', 'X-Method-Override: GET', 'X-HTTP-Method: GET'] }),
  () => ({
    head: [HOST, 'X-Original-URL: /health', 'X-Rewrite-URL: /health', 'X-Forwarded-Prefix: /health'],
  }),
  () => ({ head: [HOST, 'X-Forwarded-Host: localhost/health?', 'X-Forwarded-Proto: https'] }),
  () => ({ head: [HOST, 'X-Forwarded-User: admin', 'X-Real-IP: 127.0.0.1', 'Forwarded: for=127.0.0.1'] }),
  () => ({ head: [HOST, 'Cookie: access_token=', 'Cookie: csrf_token=a', 'X-CSRF-Token: a'] }),
  () => ({ head: [HOST, 'Cookie: access_token=eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZG1pbiJ9.'] }),
  () => ({ head: [HOST, 'Authorization: Bearer ', 'Authorization: Bearer null', 'X-Api-Key: undefined'] }),
  () => ({ head: [HOST, 'Authorization: Basic YWRtaW46YWRtaW4='] }),
  () => ({ head: [HOST, ...Array.from({ length: 300 }, (_, n) => `X-${n}: x`)] }),
  () => ({ head: [HOST, ...Array.from({ length: 1_000 }, (_, n) => `Cookie: c${n}=x`)] }),
  () => ({ head: [HOST, 'Connection: Upgrade', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'] }),
  () => ({
    head: [HOST, 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', SOCKET_KEY],
  }),
  (route) => ({
    method: 'GET',
    target: '/login',
    head: [
      `Host: localhost${route.path}?`,
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      SOCKET_KEY,
    ],
  }),
  () => ({ version: 'HTTP/1.0', head: [] }),
  () => ({ version: 'HTTP/1.0' }),
  () => ({ version: 'HTTP/0.9' }),
  () => ({ version: 'HTTP/2.0' }),
  () => ({ version: 'HTTP/1.1 HTTP/1.1' }),
  () => ({ version: '' }),
];

const SOCKET_KEY = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';

/** What one reader of lengths takes for a body, and another one for the next request. */
const FRAMINGS: readonly (readonly string[])[] = [
  ['Content-Length: 6', 'Transfer-Encoding: chunked'],
  ['Transfer-Encoding: chunked', 'Content-Length: 6'],
  ['Transfer-Encoding: xchunked', 'Content-Length: 6'],
  ['Transfer-Encoding : chunked', 'Content-Length: 6'],
  ['Transfer-Encoding: chunked, identity'],
  ['Transfer-Encoding: identity'],
  ['Transfer-Encoding:\tchunked', 'Transfer-Encoding: cow'],
  ['Content-Length: 0', 'Content-Length: 6'],
  ['Content-Length: 0, 6'],
  ['Content-Length: +6'],
  ['Content-Length: -1'],
  ['Content-Length: 0x6'],
  ['Content-Length: 6', ' 0'],
];

/** All of them for the route. */
export function rawRequests(route: ClosedRoute): readonly RawRequest[] {
  const { path } = route;
  const named = (name: string, parts: Parts): RawRequest => single(`${name} of`, route, parts);
  return [
    ...HOSTS.flatMap((host) => {
      const head = [`Host: ${host(path)}`];
      return [
        named('host', { head }),
        named('host of a public target', { target: '/', method: 'GET', head }),
        named('host of a public target', { target: '/api/v1/auth/logout', method: 'POST', head }),
        named('host of a public target', { target: '/health', method: route.method, head }),
      ];
    }),
    ...TARGETS.map((target) => named('target', { target: target(path) })),
    ...METHODS.map((method) => named('method', { method })),
    ...HEADS.map((variant) => named('head', variant(route))),
    ...FRAMINGS.map((lines) => named('framing', { head: [HOST, ...lines], body: smuggled(route) })),
    pipelined(route),
  ];
}

function single(name: string, route: ClosedRoute, parts: Parts): RawRequest {
  const text = written(route, parts);
  const shown = JSON.stringify(text.slice(0, 160));
  return {
    name: `${name} ${route.method} ${route.path}: ${shown}`,
    bytes: Buffer.from(text),
    publicParts: 0,
  };
}

function smuggled(route: ClosedRoute): string {
  return `0\r\n\r\n${written(route, {})}`;
}

function pipelined(route: ClosedRoute): RawRequest {
  const health = written({ method: 'GET', path: '/health', credential: [] }, {});
  const asked = written(route, { head: [HOST, 'Content-Length: 0'] });
  const last = written(route, { head: [HOST, 'Content-Length: 0', 'Connection: close'] });
  const text = `${health}${asked}${health}${last}`;
  return { name: `pipelined ${route.method} ${route.path}`, bytes: Buffer.from(text), publicParts: 2 };
}
