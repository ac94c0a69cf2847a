// Rates a reply: thumbs, and a comment.
import { useMutation } from '@tanstack/react-query';
import { MessageSquareText, ThumbsDown, ThumbsUp } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import type { ReplyRating as RatedReply } from '../api/shapes.ts';
import { useKnownReplies, useReplyRecord } from '../conversation/reply-record.ts';
import { useServices } from '../services/services.tsx';
import { Button } from '../ui/button.tsx';
import { TextArea } from '../ui/text-field.tsx';

export interface Rating {
  readonly value: 1 | -1;
  readonly comment: string;
}

/** Returns the run of a reply with its rating. Undefined unless the reply is the last message of a run. */
export function useReplyRating(replyIds: readonly string[]): RatedReply | undefined {
  const { replies } = useKnownReplies();
  return replyIds.map((id) => replies.get(id)).findLast((it) => it !== undefined);
}

/** Shows the rating immediately, and reverts it if saving fails. `undefined` removes the rating. */
function useRate(threadId: string) {
  const { api } = useServices();
  const { show } = useReplyRecord();
  return useMutation({
    mutationFn: ({ reply, rating }: { readonly reply: RatedReply; readonly rating: Rating | undefined }) =>
      rating === undefined ? api.unrate(threadId, reply) : api.rate(threadId, reply, rating),
    onMutate: ({ reply, rating }) => show({ ...reply, rating }),
    onError: (_, { reply }) => show(reply),
  });
}

interface ReplyRatingProps {
  readonly threadId: string;
  readonly reply: RatedReply;
}

const MAX_COMMENT_CHARACTERS = 4_000;

export function ReplyRating({ threadId, reply }: ReplyRatingProps) {
  const rate = useRate(threadId);
  const [isCommenting, setCommenting] = useState(false);
  const { rating } = reply;
  const press = (value: Rating['value']) => {
    const isOn = rating?.value === value;
    if (isOn) setCommenting(false);
    rate.mutate({ reply, rating: isOn ? undefined : { value, comment: rating?.comment ?? '' } });
  };
  return (
    <>
      <Thumb value={1} isOn={rating?.value === 1} onPress={press} />
      <Thumb value={-1} isOn={rating?.value === -1} onPress={press} />
      {rating !== undefined && !isCommenting && (
        <Button variant="quiet" size="small" onClick={() => setCommenting(true)}>
          <MessageSquareText />
          {rating.comment === '' ? 'Add comment' : 'Edit comment'}
        </Button>
      )}
      {rate.isError && (
        <p role="alert" className="w-full pl-2 text-[0.8125rem] text-danger">
          Your rating was not saved. Please try again.
        </p>
      )}
      {rating !== undefined && isCommenting && (
        <CommentForm
          comment={rating.comment}
          onSave={(comment) => {
            setCommenting(false);
            rate.mutate({ reply, rating: { ...rating, comment } });
          }}
          onCancel={() => setCommenting(false)}
        />
      )}
    </>
  );
}

interface ThumbProps {
  readonly value: Rating['value'];
  readonly isOn: boolean;
  readonly onPress: (value: Rating['value']) => void;
}

function Thumb({ value, isOn, onPress }: ThumbProps) {
  const Icon = value === 1 ? ThumbsUp : ThumbsDown;
  const label = value === 1 ? 'Good answer' : 'Bad answer';
  return (
    <Button
      variant="quiet"
      size="icon-small"
      aria-label={label}
      aria-pressed={isOn}
      title={label}
      onClick={() => onPress(value)}
      className={isOn ? 'text-foreground [&_svg]:fill-current' : ''}
    >
      <Icon />
    </Button>
  );
}

interface CommentFormProps {
  readonly comment: string;
  readonly onSave: (comment: string) => void;
  readonly onCancel: () => void;
}

function CommentForm({ comment, onSave, onCancel }: CommentFormProps) {
  const [text, setText] = useState(comment);
  const save = (event: FormEvent) => {
    event.preventDefault();
    onSave(text.trim());
  };
  return (
    <form
      onSubmit={save}
      onKeyDown={(event) => event.key === 'Escape' && onCancel()}
      className="mt-1 ml-2 grid w-full min-w-0 gap-2"
    >
      <TextArea
        label="Comment on this answer"
        value={text}
        maxLength={MAX_COMMENT_CHARACTERS}
        autoFocus
        placeholder="What was good, or what was wrong? (optional)"
        onChange={(event) => setText(event.target.value)}
      />
      <div className="flex gap-2">
        <Button type="submit" size="small">
          Save
        </Button>
        <Button variant="ghost" size="small" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
