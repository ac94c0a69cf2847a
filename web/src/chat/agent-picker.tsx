// Chooses the agent of the chat.
import { agentLabel } from '../agents/agent-label.ts';
import { ASSISTANT_ID } from './agent-client.ts';
import { PickerMenu } from './picker-menu.tsx';
import type { ChatAgent } from './use-chat-agent.ts';

/** Nothing where the person has no agents to choose from. */
export function AgentPicker({ chatAgent }: { readonly chatAgent: ChatAgent }) {
  const { name, agents, choose } = chatAgent;
  if (agents.length === 0 && name === ASSISTANT_ID) return null;
  const gone = name === ASSISTANT_ID || agents.some((it) => it.name === name) ? [] : [name];
  return (
    <PickerMenu
      title="Agent"
      label={agentLabel(name)}
      value={name}
      onChange={choose}
      options={[
        { value: ASSISTANT_ID, label: agentLabel(ASSISTANT_ID) },
        ...agents.map(({ name: value, description }) => ({
          value,
          label: value,
          ...(description === '' ? {} : { note: description }),
        })),
        ...gone.map((value) => ({ value, label: value, note: 'Not there any more' })),
      ]}
    />
  );
}
