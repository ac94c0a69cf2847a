// Requirements of tool servers, by the ids that tests cite.
export const mcpRequirements = {
  'mcp.config.get': 'GET /api/mcp/config returns every server with its fields, and secret values as `***`.',
  'mcp.config.put':
    'PUT /api/mcp/config replaces the document and returns {success, message}; the mask keeps the stored value.',
  'mcp.config.admin': 'The configuration of tool servers is for administrators; others get 403.',
  'mcp.config.reference': '`$NAME` in a value stands for an environment variable and is shown unchanged.',
  'mcp.config.allowlist':
    'A stdio command must be on the allowlist, without flags and variables that make it run other code.',
  'mcp.config.whole': 'A document with any error is refused as a whole, and nothing is written.',
  'mcp.config.reload': 'A changed document takes effect without a restart; a broken file changes nothing.',
  'mcp.config.test':
    'POST /api/mcp/servers/{name}/test reports whether a server works, without any part of a secret, and stops when its client disconnects.',
  'mcp.config.audit': 'The audit log records every change of the configuration, without values.',
  'mcp.tools.stdio': 'Tools of a program that communicates over standard input and output can be called.',
  'mcp.tools.names':
    'Tools of servers have names that providers accept, and none has the name of a built-in tool.',
  'mcp.tools.lists':
    'The lists of servers are read a few at a time and in turns, again after their settings change, and cached within limits of bytes and age.',
  'mcp.tools.schemas':
    'The schema of a tool is converted to JSON Schema 2020-12, or the tool is omitted with the reason; the others stay.',
  'mcp.tools.http': 'Tools of a remote server (streamable HTTP, SSE) can be called.',
  'mcp.tools.pins':
    'A new tool, or one whose description or schema changed, is not offered until an administrator approves it.',
  'mcp.tools.pins.change': 'A changed tool is shown with its approved and its current version.',
  'mcp.tools.search': 'With more than 40 tools, the model sees only the schemas that `tool_search` found.',
  'mcp.results.kinds':
    'Texts, images, sounds, links, embedded resources and structured content of a result reach the agent; files are saved.',
  'mcp.results.limits': 'A result that is too large is an error, and one with too many items is cut.',
  'mcp.failures.missing':
    'The agent is told the reason why a server is unavailable; an unavailable server delays no run after the first.',
  'mcp.failures.calls':
    'A call that hangs, crashes its server or is slow ends with a result, and the chat continues.',
  'mcp.elicitation':
    'A question of a server is passed to the person, and the call is repeated with the answer.',
  'mcp.elicitation.same': 'An answer is used only for the question that was answered.',
  'mcp.elicitation.form':
    'The interrupt contains the fields of the form and the name of the server; an answer that does not fit the schema is requested again, with what the field accepts.',
  'mcp.approval': 'A tool that requires approval by configuration runs only after the person approves.',
  'mcp.processes': 'Programs of servers, and all processes they started, end with the service.',
  'mcp.processes.places':
    'A program can see the folders and files in its arguments, but never those of the service or the system, however they are spelled.',
  'mcp.processes.floods':
    'A program with too much output has to wait, is read in turns with everything else, and is ended if it sends only garbage.',
  'mcp.addresses':
    'A remote server may be on the internal network, but its name and redirects never lead to link-local or cloud metadata addresses.',
  'mcp.redirects': 'A redirect to another host is not followed, and gets no credentials.',
  'mcp.materials': 'The agent can list and read resources and prompts of servers.',
  'mcp.oauth.sign_in':
    'A person signs in to a remote tool server by OAuth 2.1 with PKCE and dynamic registration; its tools are available only to them.',
  'mcp.oauth.state': 'A sign-in can be completed once, by the person who started it.',
  'mcp.oauth.issuer': 'A code from an issuer other than the one the person was sent to is not exchanged.',
  'mcp.oauth.refresh':
    'Tokens are renewed before they expire or when they are refused, once for all concurrent requests; expired ones are removed.',
  'mcp.oauth.scope':
    'If a server wants more permissions than a sign-in granted, the person is told, and the next sign-in requests them.',
  'mcp.oauth.kept':
    'Tokens survive a restart, encrypted with a key of the service, for one person and one address.',
  'mcp.oauth.sign_out': 'Signing out, and deleting the account, removes the tokens.',
  'mcp.oauth.service':
    'The service can have one account for everybody by client_credentials or refresh_token.',
  'mcp.oauth.inside':
    'An authorization server that a tool server names is not contacted on the internal network.',
  'mcp.oauth.secret': 'No response and no log contains a token or a client secret.',
};
