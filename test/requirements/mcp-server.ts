// Requirements of the service as an MCP server, by the ids that tests cite.
export const mcpServerRequirements = {
  'mcp-server.connect':
    'The official client connects with an API key, by initialize and by the newest revision, and gets the tools with schemas.',
  'mcp-server.run':
    'start_run starts a run on a new or existing thread with a chosen model; the client waits for it or polls it with get_run.',
  'mcp-server.progress': 'A client that waits and asks for progress receives what the agent does.',
  'mcp-server.cancel-wait': 'Cancelling the call ends the wait but not the run.',
  'mcp-server.cancel-run': 'cancel_run ends the run; its text so far stays.',
  'mcp-server.questions':
    'get_run returns the open interrupts of a run with their ids, and start_run answers them.',
  'mcp-server.repeated': 'A start_run with the idempotency key of an earlier one returns its run.',
  'mcp-server.thread': 'read_thread returns messages page by page; list_threads returns the threads.',
  'mcp-server.artifacts':
    'Files are listed and read by a tool and as resources: text as text, bytes in base64, large ones as a URL.',
  'mcp-server.agents': 'list_agents names the agents and the models.',
  'mcp-server.key': 'Only API keys are accepted, and read-only keys cannot start or cancel runs.',
  'mcp-server.key-ends': 'Revoking a key ends the waits of its client within five seconds.',
  'mcp-server.streams': "Waits count as the user's streams: beyond the limit the oldest ends.",
  'mcp-server.owner': 'Threads, runs and files of another user are treated as absent.',
  'mcp-server.origin': 'A page of another site, or under another name of this machine, is refused.',
  'mcp-server.bounds':
    'Large bodies, batches, malformed messages and unknown methods, tools and arguments are refused with a sentence and change nothing.',
  'mcp-server.stateless':
    "The server keeps no session: it accepts unknown ones, GET and DELETE are 405, and no client can cancel another's calls.",
  'mcp-server.errors': 'A failure of the service is logged, and its cause is not returned.',
  'mcp-server.log': 'Messages of MCP clients are logged like API requests, without their contents.',
  'mcp-server.conformance': 'The applicable server scenarios of the conformance suite pass.',
  'mcp-server.conformance.client':
    'The service passes the applicable client scenarios of the conformance suite, with real sign-ins.',
} as const;
