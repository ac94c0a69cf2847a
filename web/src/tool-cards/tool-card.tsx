// One call of a tool, in the card that says the most about it.
import { callSummary } from '../chat/call-summary.ts';
import { type CallCardProps, CallText } from '../chat/call-view.tsx';
import { BashCard } from './bash-card.tsx';
import { callStateOf } from './call-state.ts';
import { FileChangeCard } from './file-change-card.tsx';
import { ImageCard } from './image-card.tsx';
import { PresentedCard } from './presented-card.tsx';
import { ReadingCard } from './reading-card.tsx';
import { ToolFrame } from './tool-frame.tsx';

export function ToolCard(props: CallCardProps) {
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

/** For tools that this page does not know. */
function PlainCard({ call, result, turnState }: CallCardProps) {
  return (
    <ToolFrame name={call.name} state={callStateOf(result, turnState)} summary={callSummary(call)}>
      <div className="grid min-w-0 gap-3 px-3.5 py-3">
        <CallText title="Arguments" text={JSON.stringify(call.args, null, 2)} />
        {result !== undefined && (
          <CallText title={result.status === 'error' ? 'Error' : 'Result'} text={result.text} />
        )}
      </div>
    </ToolFrame>
  );
}
