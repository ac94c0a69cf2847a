// Chooses the agent of the chat.
import { ASSISTANT_ID } from './agent-client.ts';
import { PickerMenu } from './picker-menu.tsx';
import type { ChatAgent } from './use-chat-agent.ts';

const OWN = 'Lead agent';

/** Nothing where the person has no agents to choose from. */
export function AgentPicker({ chatAgent }: { readonly chatAgent: ChatAgent }) {
  const { name, agents, choose } = chatAgent;
  if (agents.length === 0 && name === ASSISTANT_ID) return null;
  const label = name === ASSISTANT_ID ? OWN : name;
  const gone = name === ASSISTANT_ID || agents.some((it) => it.name === name) ? [] : [name];
  return (
    <PickerMenu
      title="Agent"
      label={label}
      value={name}
      onChange={choose}
      options={[
        { value: ASSISTANT_ID, label: OWN },
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
