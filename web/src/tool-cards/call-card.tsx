// One tool call of an agent, in the card that describes it best.
import { isSubagentCall } from '../conversation/subagents.ts';
import { BashCard } from './bash-card.tsx';
import { FileChangeCard } from './file-change-card.tsx';
import { ImageCard } from './image-card.tsx';
import { PlainCard } from './plain-card.tsx';
import { PlanCard } from './plan-card.tsx';
import { PresentedCard } from './presented-card.tsx';
import { ReadingCard } from './reading-card.tsx';
import { SkillCard } from './skill-card.tsx';
import { SubagentCard } from './subagent-card.tsx';
import type { CallCardProps } from './tool-frame.tsx';

export function CallCard(props: CallCardProps) {
  return isSubagentCall(props.call) ? <SubagentCard {...props} Inner={CallCard} /> : <ToolCard {...props} />;
}

function ToolCard(props: CallCardProps) {
  if (props.result?.image !== undefined) return <ImageCard {...props} />;
  switch (props.call.name) {
    case 'bash':
      return <BashCard {...props} />;
    case 'write_file':
    case 'str_replace':
      return <FileChangeCard {...props} />;
    case 'ls':
    case 'read_file':
    case 'glob':
    case 'grep':
      return <ReadingCard {...props} />;
    case 'view_image':
      return <ImageCard {...props} />;
    case 'skill_manage':
      return <SkillCard {...props} />;
    case 'write_todos':
      return <PlanCard {...props} />;
    case 'present_files':
      return props.result?.status === 'success' ? (
        <PresentedCard call={props.call} />
      ) : (
        <PlainCard {...props} />
      );
    default:
      return <PlainCard {...props} />;
  }
}
