// Requirements of reverse proxies configured as in the README, by the ids that tests cite.
export const proxiesRequirements = {
  'proxies.sign_in':
    'Behind nginx, Caddy and HAProxy configured as in the README, a page can sign in over https on any port, with Secure cookies.',
  'proxies.addresses':
    "Behind each of them limits count by the client's address, which the client cannot choose.",
  'proxies.files': 'Each of them passes uploads of 40 MB, ranges, and refusals of bodies that were not read.',
  'proxies.silence': 'A stream through each of them survives a silence longer than its timeouts.',
  'proxies.websocket': 'A WebSocket passes each of them and lasts as long as a stream.',
} as const;
