// What is asked of the service as an MCP server, by the ids that tests cite.
export const mcpServerRequirements = {
  'mcp-server.connect':
    'The official client connects with an API key, by initialize and by the newest revision, and finds tools with schemas.',
  'mcp-server.run':
    'start_run begins a run on a new or an existing thread with a model of choice; it is waited for, or polled with get_run.',
  'mcp-server.progress': 'A client that waits and asks for progress hears what the agent does.',
  'mcp-server.cancel-wait': 'Cancelling the call ends the wait and not the run.',
  'mcp-server.cancel-run': 'cancel_run ends the run; what was said stays.',
  'mcp-server.questions': 'What a run asks is told with its id, and start_run answers it.',
  'mcp-server.repeated': 'A start_run with the idempotency key of an earlier one answers its run.',
  'mcp-server.thread': 'read_thread gives the messages page by page, list_threads the threads.',
  'mcp-server.artifacts':
    'Files are listed and read by a tool and as resources: text as text, bytes in base64, large ones by their address.',
  'mcp-server.agents': 'list_agents names the agents and the models.',
  'mcp-server.key': 'Only API keys are taken, and those that may only read start and cancel nothing.',
  'mcp-server.key-ends': 'A key that is revoked ends the waits of its client within five seconds.',
  'mcp-server.streams': "Waits count as the user's streams: the oldest ends for one more.",
  'mcp-server.owner': "Somebody else's threads, runs and files are absent.",
  'mcp-server.origin': 'A page of another site, or under another name of this machine, is refused.',
  'mcp-server.bounds':
    'Large bodies, batches, nonsense, unknown methods, tools and arguments are refused in a sentence, and change nothing.',
  'mcp-server.stateless':
    'No session is kept: unknown ones are taken, GET and DELETE are 405, and nobody cancels the calls of others.',
  'mcp-server.errors': 'A failure of the service says nothing of its cause, and is logged.',
  'mcp-server.log':
    'Messages of MCP clients are lines of the log, as requests of the API are, without what they say.',
  'mcp-server.conformance': 'The server scenarios of the conformance suite that apply here pass.',
  'mcp-server.conformance.client':
    'The service passes the client scenarios of the conformance suite that apply, with real sign-ins.',
} as const;
