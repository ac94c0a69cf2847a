// Becomes the user that a form makes, and starts the app as that user.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';

/** `enter` sends the form. What was known before is another user's, or nobody's. */
export function useEntry<Form>(enter: (form: Form) => Promise<unknown>) {
  const queryClient = useQueryClient();
  const router = useRouter();
  return useMutation({
    mutationFn: enter,
    onSuccess: async () => {
      queryClient.removeQueries();
      await router.navigate({ to: '/' });
    },
  });
}
