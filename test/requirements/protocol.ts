// What the contract asks of the WebSocket and of Agent Protocol v2, by the ids that tests cite.
export const protocolRequirements = {
  'websocket.session': 'A WebSocket needs the session cookie: 401 before the upgrade.',
  'websocket.origin': 'A WebSocket needs an Origin that is its own or exactly a configured one, else 403.',
  'websocket.owner': "Another user's thread is 404 before the upgrade, in the words of HTTP.",
  'websocket.csrf': 'The first frame carries the CSRF token of the cookie, else 1008.',
  'websocket.run': 'The first frame is a run request; {event, data, id} frames follow; 1000 after end.',
  'websocket.join': '{join, last_event_id} goes on after the last frame that was seen.',
  'websocket.cancel': '{"cancel": "interrupt"} cancels the run.',
  'websocket.leave': 'Leaving a WebSocket follows on_disconnect.',
  'websocket.invalid': 'A frame that makes no sense is refused with 1008 and a reason, and starts nothing.',
  'websocket.limits': 'A frame larger than a JSON body is 1009; a flood of frames is 1008.',
  'websocket.revoked': 'A socket whose session ends is closed within five seconds.',
  'websocket.ping': 'In silence a ping comes every five seconds.',
  'websocket.silence': 'A client that answers no ping for 90 seconds is dropped.',
  'websocket.slow': 'At most 64 KB wait in memory for a slow reader.',
} as const;
