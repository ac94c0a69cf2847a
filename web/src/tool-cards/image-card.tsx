// An image that the agent viewed.
import { useState } from 'react';
import { artifactUrl } from '../api/file-shapes.ts';
import { useTurnActions } from '../conversation/turn-actions.ts';
import { isThreadPath, nameOf, shortPath } from '../files/file-kind.ts';
import { useFilePanel } from '../files/file-panel.ts';
import { type CallCardProps, CallText, callStateOf, ToolFrame } from './tool-frame.tsx';

export function ImageCard({ call, result, turnState, startsOpen }: CallCardProps) {
  const { threadId } = useTurnActions();
  const panel = useFilePanel();
  const [isGone, setGone] = useState(false);
  const state = callStateOf(result, turnState);
  const path = [result?.image, call.args.image_path].find((it) => typeof it === 'string');
  const isShown =
    typeof path === 'string' && isThreadPath(path) && threadId !== undefined && state !== 'error';
  return (
    <ToolFrame
      name={call.name}
      state={state}
      summary={typeof path === 'string' ? shortPath(path) : ''}
      isOpenAtFirst={isShown && startsOpen}
    >
      {isShown && isGone && (
        <p className="px-3.5 py-3 text-[0.8125rem] text-muted-foreground">
          This image no longer exists, or the browser cannot show it.
        </p>
      )}
      {isShown && !isGone && (
        <button
          type="button"
          title="Open file"
          onClick={() => panel.show({ kind: 'file', path })}
          className="grid w-full place-items-center bg-code p-3 focus-visible:-outline-offset-2"
        >
          <img
            src={artifactUrl(threadId, path)}
            alt={nameOf(path)}
            loading="lazy"
            onError={() => setGone(true)}
            className="max-h-72 max-w-full rounded-lg border border-border"
          />
        </button>
      )}
      {result?.status === 'error' && (
        <div className="px-3.5 py-3">
          <CallText title="Error" text={result.text} />
        </div>
      )}
    </ToolFrame>
  );
}
