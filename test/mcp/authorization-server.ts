// A small authorization server: discovery, registration, PKCE, rotating tokens, and a record of its requests.
import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface AuthorizationServer {
  readonly issuer: string;
  /** Its behavior from now on. */
  readonly behaviour: {
    /** The life of access tokens, in seconds. */
    expiresIn: number;
    /** The issuer that it names when it redirects browsers back. */
    issuerInAnswers: string;
    denies: boolean;
    /** Delays the responses to requests for tokens until it settles. */
    holds: Promise<void>;
  };
  /** Grants of the successful requests for tokens, in order. */
  readonly grants: string[];
  /** Redirect addresses of the registered clients. */
  readonly registered: string[][];
  /** Whether an old refresh token was used again, which invalidates the newer ones. */
  wasReused(): boolean;
  /** The number of requests so far. */
  asked(): number;
  accepts(accessToken: string | undefined): boolean;
  /** Invalidates the access tokens issued so far. */
  revokeAccess(): void;
  /** Invalidates the refresh tokens issued so far. */
  forgetRefresh(): void;
  /** Accepts a refresh token that was issued elsewhere. */
  allowRefresh(token: string): void;
  close(): Promise<void>;
}

export const SERVICE_CLIENT = { id: 'service-client', secret: 'CANARY-client-secret' };

interface Code {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly challenge: string;
}

type Form = URLSearchParams;
type Answer = readonly [status: number, body: object];

class Tokens {
  readonly access = new Set<string>();
  readonly #refresh = new Map<string, boolean>();
  reused = false;

  give(expiresIn: number): object {
    const [access, refresh] = [`CANARY-access-${randomUUID()}`, `CANARY-refresh-${randomUUID()}`];
    this.access.add(access);
    this.#refresh.set(refresh, true);
    return { access_token: access, refresh_token: refresh, token_type: 'Bearer', expires_in: expiresIn };
  }

  /** Each refresh token works once; a second use invalidates all that followed from it. */
  takeRefresh(token: string): boolean {
    const isNew = this.#refresh.get(token);
    if (isNew === false) {
      this.reused = true;
      this.#refresh.clear();
      this.access.clear();
    }
    if (isNew !== true) return false;
    this.#refresh.set(token, false);
    return true;
  }

  /** Accepts a token that an administrator has from elsewhere. */
  allowRefresh(token: string): void {
    this.#refresh.set(token, true);
  }

  forgetRefresh(): void {
    this.#refresh.clear();
  }
}

export async function startAuthorizationServer(): Promise<AuthorizationServer> {
  const clients = new Map<string, readonly string[]>();
  const codes = new Map<string, Code>();
  const tokens = new Tokens();
  const grants: string[] = [];
  const registered: string[][] = [];
  const behaviour = { expiresIn: 3_600, issuerInAnswers: '', denies: false, holds: Promise.resolve() };

  let asked = 0;
  const server = createServer((request, response) => {
    asked += 1;
    void reply(request, response).catch(() => response.writeHead(500).end());
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  behaviour.issuerInAnswers = issuer;

  const metadata = {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    registration_endpoint: `${issuer}/register`,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none', 'client_secret_post'],
    authorization_response_iss_parameter_supported: true,
  };

  async function reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', issuer);
    const send = ([status, body]: Answer): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (url.pathname === '/.well-known/oauth-authorization-server') return send([200, metadata]);
    if (url.pathname === '/register') return send(register(await text(request)));
    if (url.pathname === '/authorize') {
      const back = authorize(url.searchParams);
      if (back === undefined) return send([400, { error: 'invalid_request' }]);
      response.writeHead(302, { location: back }).end();
      return;
    }
    if (url.pathname === '/token') {
      const form = new URLSearchParams(await text(request));
      await behaviour.holds;
      return send(token(form));
    }
    send([404, { error: 'not_found' }]);
  }

  function register(body: string): Answer {
    const asked: { redirect_uris: string[] } = JSON.parse(body);
    const id = `client-${clients.size}`;
    clients.set(id, asked.redirect_uris);
    registered.push(asked.redirect_uris);
    return [201, { ...asked, client_id: id, token_endpoint_auth_method: 'none' }];
  }

  /** The person always agrees, unless `denies` is set. */
  function authorize(asked: Form): string | undefined {
    const [clientId, redirectUri] = [asked.get('client_id') ?? '', asked.get('redirect_uri') ?? ''];
    const challenge = asked.get('code_challenge') ?? '';
    if (clients.get(clientId)?.includes(redirectUri) !== true) return undefined;
    if (challenge === '' || asked.get('code_challenge_method') !== 'S256') return undefined;
    const back = new URL(redirectUri);
    back.searchParams.set('state', asked.get('state') ?? '');
    back.searchParams.set('iss', behaviour.issuerInAnswers);
    if (behaviour.denies) back.searchParams.set('error', 'access_denied');
    else {
      const code = `CANARY-code-${randomUUID()}`;
      codes.set(code, { clientId, redirectUri, challenge });
      back.searchParams.set('code', code);
    }
    return back.href;
  }

  function token(form: Form): Answer {
    const grant = form.get('grant_type') ?? '';
    const error = refusalOf(grant, form);
    if (error !== undefined) return [400, { error }];
    grants.push(grant);
    return [200, tokens.give(behaviour.expiresIn)];
  }

  function refusalOf(grant: string, form: Form): string | undefined {
    switch (grant) {
      case 'authorization_code':
        return takeCode(form) ? undefined : 'invalid_grant';
      case 'refresh_token':
        return tokens.takeRefresh(form.get('refresh_token') ?? '') ? undefined : 'invalid_grant';
      case 'client_credentials':
        return isService(form) ? undefined : 'invalid_client';
      default:
        return 'unsupported_grant_type';
    }
  }

  function takeCode(form: Form): boolean {
    const code = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    const proof = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    return (
      code !== undefined &&
      code.challenge === proof &&
      code.redirectUri === form.get('redirect_uri') &&
      code.clientId === form.get('client_id')
    );
  }

  return {
    issuer,
    behaviour,
    grants,
    registered,
    asked: () => asked,
    wasReused: () => tokens.reused,
    accepts: (accessToken) => accessToken !== undefined && tokens.access.has(accessToken),
    revokeAccess: () => tokens.access.clear(),
    forgetRefresh: () => tokens.forgetRefresh(),
    allowRefresh: (it) => tokens.allowRefresh(it),
    close: () => closed(server),
  };
}

function isService(form: Form): boolean {
  return form.get('client_id') === SERVICE_CLIENT.id && form.get('client_secret') === SERVICE_CLIENT.secret;
}

/** Closes the server, including its open connections. */
export async function closed(server: ReturnType<typeof createServer>): Promise<void> {
  server.closeAllConnections();
  await new Promise<void>((resolve) => void server.close(() => resolve()));
}
