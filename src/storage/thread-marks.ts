// How far the threads of users have come, for processes that did not change them.

export interface ThreadMarks {
  /**
   * A text for each of the users who has a thread, which becomes another one when a thread of theirs is made, or changes and
   * is the newest then. One question, whatever the number of users and threads.
   */
  newest(userIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
}
