// One call of an agent: of a tool, or of another agent.
import { ToolCard } from '../tool-cards/tool-card.tsx';
import type { CallCardProps } from './call-view.tsx';
import { isSubagentCall } from './subagent.ts';
import { SubagentCard } from './subagent-card.tsx';

export function CallCard(props: CallCardProps) {
  return isSubagentCall(props.call) ? <SubagentCard {...props} Inner={CallCard} /> : <ToolCard {...props} />;
}
