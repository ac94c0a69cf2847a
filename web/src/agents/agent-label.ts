// What people call an agent.
import { ASSISTANT_ID } from '../chat/agent-client.ts';

/** The agent of the service has no name of its own. */
export function agentLabel(name: string): string {
  return name === ASSISTANT_ID ? 'Lead agent' : name;
}
