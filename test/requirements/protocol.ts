// Requirements of the WebSocket and of Agent Protocol v2 (docs/contract/streaming.md#agent-protocol-v2), by the ids that tests cite.
export const protocolRequirements = {
  'websocket.session': 'Without the session cookie, a WebSocket gets 401 before the upgrade.',
  'websocket.origin':
    "The Origin of a WebSocket must be the service's own or a configured one; any other is 403.",
  'websocket.owner': "Another user's thread is 404 before the upgrade, with the same text as over HTTP.",
  'websocket.csrf':
    'The first frame carries the CSRF token of the cookie; otherwise the socket closes with 1008.',
  'websocket.run':
    'The first frame is a run request; {event, data, id} frames follow, then a close with 1000 after end.',
  'websocket.join': '{join, last_event_id} continues after the last frame that the client has seen.',
  'websocket.cancel': '{"cancel": "interrupt"} cancels the run.',
  'websocket.leave': 'Closing a WebSocket follows on_disconnect.',
  'websocket.invalid': 'A malformed frame closes the socket with 1008 and a reason, and starts nothing.',
  'websocket.limits':
    'A frame larger than a JSON body closes the socket with 1009; too many frames close it with 1008.',
  'websocket.revoked': 'A socket whose session ends is closed within five seconds.',
  'websocket.ping': 'During silence a ping is sent every five seconds.',
  'websocket.silence': 'A client that does not respond to pings is disconnected within 90 seconds.',
  'websocket.slow': 'At most 64 KB wait in memory for a slow reader.',
  'protocol.run': 'A protocol stream shows the runs of its thread one after another, as they happen.',
  'protocol.lifecycle': 'A run is running once and then completed, failed or interrupted exactly once.',
  'protocol.thread.create': 'run.start creates the thread.',
  'protocol.tools': 'Tool calls start with their input and finish with their output or an error.',
  'protocol.messages':
    'Replies are content blocks, one after another, between message-start and message-finish.',
  'protocol.state': 'A step is shown as an update, a task, a checkpoint, and then its values.',
  'protocol.input': 'An interrupt is shown as input.requested; input.respond and run.start answer it.',
  'protocol.custom': 'Progress is a custom event, named by its type.',
  'protocol.cancel': 'A cancelled run ends as interrupted and keeps its text.',
  'protocol.fork': 'run.start may begin at an older checkpoint.',
  'protocol.reconnect': 'A client that reconnects during a run misses nothing and sees nothing twice.',
  'protocol.stream': 'An event always has the same id for every reader; the stream stays open across runs.',
  'protocol.filter': 'Events can be filtered by channel, namespace and depth.',
  'protocol.numbers':
    'The event numbers of a thread only increase and are the same for every reader, even if the clock is set back.',
  'protocol.since': 'since shows the events after a seq.',
  'protocol.since.unknown': 'since with an unknown seq reports that and shows the run from its start.',
  'protocol.epochs':
    'Lost events and those that replaced them never share a number; a client that returns with a lost number is told.',
  'protocol.commands': 'Commands return success or an error with a code of the protocol, with HTTP 200.',
  'protocol.invalid': 'A malformed request for events is 422.',
  'protocol.first': 'A stream may be opened before its thread exists, and shows the run that creates it.',
  'protocol.owner': "Another user's thread is treated as absent by commands, streams and sockets.",
  'protocol.socket':
    'Commands, subscriptions and events share one WebSocket; the response comes before the events.',
  'protocol.hook': 'The calls behind @langchain/react and its siblings work end to end.',
} as const;
