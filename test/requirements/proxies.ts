// What reverse proxies that are set up as the README says do not break, by the ids that tests cite.
export const proxiesRequirements = {
  'proxies.sign_in':
    'Behind nginx, Caddy and HAProxy as in the README a page signs in by https on any port, with Secure cookies.',
  'proxies.addresses':
    'Behind each of them limits are counted by the address of the client, which it cannot choose.',
  'proxies.files': 'Each of them passes uploads of 40 MB, ranges, and refusals of bodies that were not read.',
  'proxies.silence':
    'A stream through each of them lasts through a silence that is longer than its timeouts.',
  'proxies.websocket': 'A WebSocket passes each of them, and lasts as streams do.',
} as const;
