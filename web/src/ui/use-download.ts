// Hands a download to the browser, which shows how far it is and writes to the disk as it comes.
import { useMutation } from '@tanstack/react-query';

/** `locate` gives the address, or throws the sentence that a download which fails would never show. */
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
