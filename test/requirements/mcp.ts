// Tool servers, by the ids that tests cite.
export const mcpRequirements = {
  'mcp.config.get': 'GET /api/mcp/config answers every server with its fields, secret values as `***`.',
  'mcp.config.put':
    'PUT /api/mcp/config replaces the document and answers {success, message}; the mask keeps what is stored.',
  'mcp.config.admin': 'The configuration of tool servers is for administrators; others get 403.',
  'mcp.config.reference':
    '`$NAME` in a value stands for a variable of the environment and is shown as it is.',
  'mcp.config.allowlist':
    'A stdio command is on the allowlist, without flags and variables that make it run other code.',
  'mcp.config.whole': 'A document with anything wrong in it is refused as a whole, and nothing is written.',
  'mcp.config.reload': 'A changed document is seen without a restart; a broken file changes nothing.',
  'mcp.config.test':
    'POST /api/mcp/servers/{name}/test says whether a server works, without any part of a secret, and ends with its client.',
  'mcp.config.audit': 'Every change of the configuration is in the audit log, without values.',
  'mcp.tools.stdio': 'Tools of a program that speaks over its standard input and output can be called.',
  'mcp.tools.names':
    'Tools of servers have names that providers take; none has the name of a tool of the service.',
  'mcp.tools.lists':
    'What servers have is read a few at a time and in turns, again when their settings changed, and kept within limits of bytes and age.',
  'mcp.tools.schemas':
    'The schema of a tool is brought into the form of JSON Schema 2020-12, or the tool is left out with the reason; the others stay.',
  'mcp.tools.http': 'Tools of a remote server (streamable HTTP, SSE) can be called.',
  'mcp.tools.pins':
    'A tool whose description or schema changed, or that is new, is not offered until an administrator approves it.',
  'mcp.tools.pins.change': 'A tool that changed comes with what was approved of it, and with what it is now.',
  'mcp.tools.search': 'With more than 40 tools, schemas are shown of those that `tool_search` found.',
  'mcp.results.kinds':
    'Texts, images, sounds, links, embedded resources and structured content of a result reach the agent; files are kept.',
  'mcp.results.limits': 'An answer that is too large is an error, and one with too many items is cut.',
  'mcp.failures.missing':
    'A server that cannot be used is told to the agent with the reason, and delays no run after the first.',
  'mcp.failures.calls':
    'A call that hangs, crashes its server or is slow ends with a result, and the chat goes on.',
  'mcp.elicitation': 'What a server asks is asked of the person, and the call is made again with the answer.',
  'mcp.elicitation.same': 'An answer is given to the question that was answered, and to no other one.',
  'mcp.elicitation.form':
    'A form has its fields in the interrupt, with the name of the server; an answer that does not fit its schema is asked for again, with what the field takes.',
  'mcp.approval': 'A tool that the configuration puts under approval runs when the person agreed.',
  'mcp.processes': 'Programs of servers end with the service, with everything that they began.',
  'mcp.processes.places':
    'A program is shown the folders and files in its arguments, and never those of the service or the system, however they are written.',
  'mcp.processes.floods':
    'A program that says too much waits, is read in turns with everything else, and is ended when it says nothing but garbage.',
  'mcp.addresses':
    'A remote server may lie inside of the network, but its name and its redirects never lead to link-local addresses and those of clouds.',
  'mcp.redirects': 'A redirect to another host is not followed, and gets no credentials.',
  'mcp.materials': 'Resources and prompts of servers can be listed and read by the agent.',
  'mcp.oauth.sign_in':
    'A person signs in to a remote tool server by OAuth 2.1 with PKCE and dynamic registration; its tools are theirs alone.',
  'mcp.oauth.state': 'A sign-in is finished once, by the person who began it.',
  'mcp.oauth.issuer': 'A code from another issuer than the one that the person was sent to is not exchanged.',
  'mcp.oauth.refresh':
    'Tokens are renewed before they end or when they are refused, once however many ask; those that are over are forgotten.',
  'mcp.oauth.scope':
    'When a server wants more permissions than a sign-in gave, the person is told, and the next sign-in asks for them.',
  'mcp.oauth.kept':
    'Tokens outlive a restart, sealed with a key of the service, for one person and one address.',
  'mcp.oauth.sign_out': 'Signing out, and the end of an account, removes the tokens.',
  'mcp.oauth.service': 'The service has an account for everybody by client_credentials or refresh_token.',
  'mcp.oauth.inside': 'An authorization server that a tool server names is not asked inside of the network.',
  'mcp.oauth.secret': 'No token and no client secret is in an answer or a log.',
};
