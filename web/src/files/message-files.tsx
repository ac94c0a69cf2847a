// The files that were sent with a message.
import { useState } from 'react';
import { artifactUrl } from '../api/file-shapes.ts';
import type { SentFile } from '../api/sent-message.ts';
import { kindOf, sizeText } from './file-kind.ts';
import { FileIcon } from './file-marks.tsx';
import { useFilePanel } from './file-panel.ts';

interface MessageFilesProps {
  readonly threadId: string | undefined;
  readonly files: readonly SentFile[];
}

export function MessageFiles({ threadId, files }: MessageFilesProps) {
  return (
    <ul aria-label="Files of this message" className="flex max-w-[85%] flex-wrap justify-end gap-2 pb-1">
      {files.map((file) => (
        <li key={file.path} className="min-w-0">
          {threadId !== undefined && <MessageFile file={file} url={artifactUrl(threadId, file.path)} />}
        </li>
      ))}
    </ul>
  );
}

function MessageFile({ file, url }: { readonly file: SentFile; readonly url: string }) {
  const { filename, size, path } = file;
  const panel = useFilePanel();
  const [isImage, setImage] = useState(kindOf(filename) === 'image');
  return (
    <button
      type="button"
      onClick={() => panel.show({ kind: 'file', path })}
      title={filename}
      className="flex max-w-60 items-center gap-2.5 overflow-hidden rounded-xl border border-border bg-surface p-1.5 pr-3 text-left shadow-xs transition-colors hover:bg-accent"
    >
      {isImage ? (
        <img
          src={url}
          alt=""
          loading="lazy"
          onError={() => setImage(false)}
          className="size-9 shrink-0 rounded-lg bg-muted object-cover"
        />
      ) : (
        <span className="grid size-9 shrink-0 place-items-center rounded-lg bg-primary-soft text-primary">
          <FileIcon name={filename} className="size-4.5" />
        </span>
      )}
      <span className="min-w-0">
        <span className="block truncate text-[0.8125rem] leading-5 font-medium">{filename}</span>
        <span className="block text-xs leading-4 text-muted-foreground">{sizeText(size)}</span>
      </span>
    </button>
  );
}
