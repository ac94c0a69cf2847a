// Buttons that read files from the person's disk, and downloads to it.
import { useMutation } from '@tanstack/react-query';
import { Upload } from 'lucide-react';
import { useRef } from 'react';
import { Button, type ButtonProps } from './button.tsx';

interface FileButtonProps extends Pick<ButtonProps, 'variant' | 'title' | 'children'> {
  /** File name extensions, for the `accept` attribute. */
  readonly accept: string;
  /** The purpose of the files, such as "Agent to import". */
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
          // Allows the same file to be selected again.
          currentTarget.value = '';
        }}
      />
    </>
  );
}

/** Parses a JSON file. Throws an error with the message `refusal` for any other file. */
export async function readJsonFile(file: File, refusal: string): Promise<unknown> {
  const text = await file.text();
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(refusal);
  }
}

/**
 * Starts a download. `locate` returns the address, or throws the sentence that a failed download could not
 * show.
 */
export function useDownload(locate: () => Promise<string>) {
  return useMutation({
    mutationFn: locate,
    onSuccess: (path) => {
      const link = document.createElement('a');
      link.href = path;
      link.download = '';
      link.click();
    },
  });
}
