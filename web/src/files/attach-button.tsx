// Chooses files from the disk, or on a phone from its pictures.
import { Paperclip } from 'lucide-react';
import { useRef } from 'react';
import { Button } from '../ui/button.tsx';

export function AttachButton({ onFiles }: { readonly onFiles: (files: readonly File[]) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button
        look="quiet"
        size="icon"
        aria-label="Add files"
        title="Add files; you can also drop or paste them"
        onClick={() => input.current?.click()}
        className="rounded-xl"
      >
        <Paperclip />
      </Button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to add"
        onChange={({ currentTarget }) => {
          onFiles([...(currentTarget.files ?? [])]);
          // The same file may be chosen again.
          currentTarget.value = '';
        }}
      />
    </>
  );
}
