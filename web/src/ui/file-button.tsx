// A button that asks for files of the person's computer.
import { Upload } from 'lucide-react';
import { useRef } from 'react';
import { Button, type ButtonProps } from './button.tsx';

interface FileButtonProps extends Pick<ButtonProps, 'look' | 'title' | 'children'> {
  /** Endings of names, as `accept` of a file field takes them. */
  readonly accept: string;
  /** What the files are, such as "Agent to import". */
  readonly label: string;
  readonly onFiles: (files: readonly File[]) => void;
}

export function FileButton({ accept, label, onFiles, children, ...button }: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button size="small" onClick={() => input.current?.click()} {...button}>
        <Upload aria-hidden />
        {children}
      </Button>
      <input
        ref={input}
        type="file"
        accept={accept}
        aria-label={label}
        hidden
        onChange={({ currentTarget }) => {
          onFiles([...(currentTarget.files ?? [])]);
          // The same file may be chosen again.
          currentTarget.value = '';
        }}
      />
    </>
  );
}
